"""Which of TAB's types a sense of WordNet has, and which senses are too abstract to be shown.

Both are tables of senses (`lemma.number`, the number as in WordNet's index). A type goes down to all that is below,
until a nearer row says another; "" takes it away where what is below is of several. Senses whose nearest rows say
different things have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from ontologies.build.wordnet_files import Synset


class TypeRule(NamedTuple):
    """The type of kinds and that of instances (names) at and below some senses."""

    kinds: str
    instances: str
    senses: str


ROWS: Final = (
    # An actor is a role, Cary Grant a name. Gods and characters have names as persons have.
    TypeRule("DEM", "PERSON", "person.1"),
    TypeRule("", "PERSON", "spiritual_being.1 imaginary_being.1"),
    TypeRule("DEM", "DEM", "ill_health.1 symptom.1 disability.1 mental_disorder.1 natural_language.1 religion.1 "
        "nation.2 nationality.1 nationality.2 race.3 ethnic_group.1 peoples.1 occupation.1 kin.2 family.1 "
        "time_of_life.1 class.3 age_group.1 sex.2 sex.4 ethnicity.1 age.1 marital_status.1"),
    TypeRule("ORG", "ORG", "organization.1 musical_organization.1 university.1 college.1"),
    # A state is a place as well, a church a faith.
    TypeRule("", "", "political_unit.1 religion.2"),
    TypeRule("LOC", "LOC", "region.3 region.1 geographic_point.1 topographic_point.1 line.11 body_of_water.1 "
        "geological_formation.1 land.4 land.2 road.1 path.2 watercourse.3"),
    # On maps and in skies, but bodies, diagrams and sentences have them, too.
    TypeRule("", "LOC", "location.1 celestial_body.1 constellation.2 structure.1 facility.1"),
    TypeRule("", "", "extremity.4 layer.2 boundary.1 side.1 inside.1 outside.1 top.1 bottom.2 domain.2 field.11"),
    TypeRule("DATETIME", "DATETIME", "time_period.1 time_unit.1 clock_time.1 point.6"),
    TypeRule("QUANTITY", "QUANTITY",
    "definite_quantity.1 indefinite_quantity.1 rate.1 percentage.1 sum.1 length.1 mass.1 "
        "temperature.1"),
    TypeRule("CODE", "CODE", "phone_number.1 number.8 area_code.1 bar_code.1"),
    TypeRule("LOC", "LOC", "zip_code.1"),
    TypeRule("MISC", "MISC", "animal.1 plant.2 microorganism.1 fungus.1 taxonomic_group.1 body_part.1 plant_part.1 "
        "body_substance.1 substance.1 substance.7 food.1 food.2 cell.2 rock.1 instrumentality.3 covering.2 commodity.1 "
        "creation.2 fabric.1 sheet.6 decoration.1 plaything.1 show.3 music.1 writing.2 award.2 prize.1 "
        "legal_document.1 law.2 agreement.1 document.1 periodical.1 war.1 military_action.1 contest.1 social_event.1 "
        "happening.1 ceremony.1 ceremony.2 diversion.1 game.1 feeling.1 motivation.1 phenomenon.1 shape.2 "
        "discipline.1 doctrine.1 helping.1 wrongdoing.2 transaction.1 due_process.1 process.6"),
)  # fmt: skip
"""The types, after embanon's own kinds (`embanon.text.kinds`): faiths, languages, illnesses and roles are demographic,
works, awards, laws and events miscellaneous; of buildings only the names are places, for a school is a body, too."""

TOPS: Final = 3
"""The lexicographer file of what everything else is under."""
SHOWN: Final = """
    person.1 animal.1 plant.2 native.3 parent.2 dwarf.3 cell.2 food.1 nutrient.2 location.1 feeling.1 shape.2
    substance.1
"""
"""What of it says something to a reader; the rest is hidden."""
HIDDEN: Final = """
    instrumentality.3 unit.3 unit.5 part.1 part.2 part.3 piece.1 social_group.1 biological_group.1 collection.1 set.5
    arrangement.2 system.2 body.2 content.5 information.2 information.1 message.2 process.2 process.4 structure.3
    cognitive_factor.1 ability.2 idea.1 knowledge_domain.1 signal.1 sign.2 indication.1 indicator.2
    written_communication.1 auditory_communication.1 visual_communication.1 display.5 expressive_style.1 document.3
    publication.3 happening.1 action.1 action.2 activity.1 group_action.1 change.3 change.6 change.1 causing.1
    acquiring.1 quality.1 property.2 property.5 magnitude.1 amount.2 degree.1 manner.1 spatial_property.1
    temporal_property.1 condition.1 condition.3 situation.1 status.1 being.1 nonbeing.1 temporary_state.1
    relationship.2 relationship.3 definite_quantity.1 indefinite_quantity.1
    small_indefinite_quantity.1 large_indefinite_quantity.1 fundamental_quantity.1 relative_quantity.1 number.1 point.6
    magnitude_relation.1 mathematical_relation.1 logical_relation.1 linguistic_relation.1 relationship.1 position.7
    connection.1 unconnectedness.1 business_relation.1 temporal_relation.1 function.4 transferred_property.1 assets.1
    natural_object.1 covering.2 creation.2 product.2 block.1 line.18 surface.1 opening.10 facility.4 item.3 item.1
    thing.1 thing.4 thing.8 stuff.2 subject.2 variable.1 set.2 substance.4 otherworld.1 agent.3 solid.1 material.1
    region.1 point.2 line.11 space.2 extremity.4 layer.2 body.1 body.4
    natural_phenomenon.1 physical_phenomenon.1 natural_process.1 organic_process.1
    communicator.1 creator.2 intellectual.1 adult.1
    symbol.1 symbol.2 whole.1 whole.2 belief.1 imagination.1 protection.1 protection.2 defense.1 district.1
    administrative_district.1 situation.2 difficulty.1 unit.1 unit.2 unit.4 one.1 concept.1 argumentation.1
    reasoning.1 thinking.1 gift.1 higher_cognitive_process.1 cognition.1 acquisition.1 transferred_possession.1
    preserver.1 negotiator.1 representative.1
"""
"""What is below it, and still says no more than that it is something: seen in ladders that end in `a unit`."""


class SenseTyper:
    """Types of senses, from the table: of kinds and of instances."""

    def __init__(self, synsets: Mapping[str, Synset], senses: Mapping[str, tuple[str, ...]]) -> None:
        self._synsets = synsets
        self._rows = {offset: row for row in ROWS for offset in sense_offsets(row.senses, senses)}
        self._hidden = frozenset(sense_offsets(HIDDEN, senses))
        self._shown = frozenset(sense_offsets(SHOWN, senses))

    def type_of(self, synset: Synset) -> str:
        """Return the type of a sense, "" where it has none that all of it has."""
        instance = any(symbol == "@i" for symbol, _ in synset.links)
        level, seen = [synset.offset], {synset.offset}
        while level:
            rows = {self._rows[offset] for offset in level if offset in self._rows}
            if rows:
                types = {row.instances if instance else row.kinds for row in rows}
                return types.pop() if len(types) == 1 else ""
            level = [above for above in self._above(level) if above not in seen]
            seen.update(level)
        return ""

    def is_hidden(self, synset: Synset) -> bool:
        """Return whether a sense is too abstract to be shown."""
        return synset.offset in self._hidden or (synset.file == TOPS and synset.offset not in self._shown)

    def _above(self, level: list[str]) -> Iterator[str]:
        for offset in level:
            links = self._synsets[offset].links if offset in self._synsets else ()
            yield from (target for symbol, target in links if symbol.startswith("@"))


def sense_offsets(names: str, senses: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Return the numbers of senses named `lemma.number`; those that a smaller WordNet does not have are left out."""
    for name in names.split():
        lemma, _, number = name.rpartition(".")
        found = senses.get(lemma, ())
        if len(found) >= int(number):
            yield found[int(number) - 1]
