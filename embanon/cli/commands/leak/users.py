"""`embanon leak users`: what each user knows, and who learned too much or too fast."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from embanon.cli.commands.leak.ledgers import ledger_options, name_formatter, open_ledger, policy_option, read_user
from embanon.errors import InputError
from embanon.io import as_json, format_rows, format_table, open_input as opened_file, replace_unsafe, say, write
from embanon.leak import read_policy

if TYPE_CHECKING:
    from embanon.leak import NameHider, UserAlert, UserHistory

EXAMPLE: Final = """\
What somebody knows of an entity is between 0 and 1, by all distinct phrases that they have seen; it is worth as much of
what the entity is worth. Users who are pseudonymous in the ledger are shown by their pseudonyms; --user finds them by
their names. Alerts are those of the policy's [alerts].

examples:
  embanon leak users --policy policy.toml --ledger ledger.db
  embanon leak users --policy policy.toml --ledger ledger.db --since 2026-05-01 --groups groups.csv --fail
  embanon leak users --policy policy.toml --ledger ledger.db --user ada --json
"""
SHOWN: Final = 20


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    policy_option(parser)
    ledger_options(parser)
    add("--user", metavar="NAME", help="Show only this user; - for standard input, hidden from process lists.")
    add("--since", metavar="DAY", help="First day of alerts, as 2026-05-04. [default: 30 days ago]")
    add("--groups", metavar="FILE", help="CSV of user,group: peers. [default: one group of all]")
    add("--top", type=int, default=SHOWN, metavar="N", help=f"Users to list. [default: {SHOWN}]")
    add("--fail", action="store_true", help="End with 1 where there is an alert.")
    add("--show-original", action="store_true", help="Show names of entities, and phrases if the ledger keeps them.")
    add("--json", action="store_true", help="Write a JSON object for each user and each alert.")


def run(options: argparse.Namespace) -> int:
    """Print what each user knows, and the alerts."""
    from embanon.leak import NameHider, explained_alerts, find_users, parse_day, read_groups

    policy = read_policy(options.policy)
    since = parse_day(options.since) if options.since else None
    groups = dict[str, str]()
    if options.groups:
        with opened_file(options.groups) as stream:
            groups = read_groups(stream, options.groups)
    only = read_user(options.user) if options.user else None
    with open_ledger(options) as ledger:
        histories, knowers = find_users(ledger, policy, max(options.top, 0), only)
        alerts = explained_alerts(ledger, policy, since, groups, user=only)
    if only is not None and not histories:
        raise InputError(f"{ledger.where}: knows nobody of this name; write it as the access log does")
    names, hide = (
        name_formatter(policy, options.show_original),
        NameHider() if options.show_original else NameHider.from_policy(policy),
    )
    knows = defaultdict[str, list[tuple[str, float, int]]](list)
    for knowledge in knowers:
        knows[knowledge.user].append((names(knowledge.entity), knowledge.known, knowledge.phrases))
    rows = [_person_row(one, knows[one.user]) for one in histories]
    alert_rows = [_alert_row(one, names, hide, options.show_original) for one in alerts]
    write(_as_json(rows, alert_rows) if options.json else _as_text(rows, alert_rows))
    return int(bool(options.fail and alerts))


def _person_row(history: UserHistory, knows: Sequence[tuple[str, float, int]]) -> dict[str, Any]:
    from embanon.leak import format_day

    last = history.days[-1] if history.days else None
    return {
        "user": history.user, "worth": round(history.worth, 4), "total": round(last.total, 4) if last else 0.0,
        "opened": sum(day.opened for day in history.days), "last": format_day(last.day) if last else None,
        "knows": [{"entity": name, "known": round(known, 4), "phrases": phrases} for name, known, phrases in knows],
    }  # fmt: skip


def _alert_row(alerted: UserAlert, names: Any, hide: NameHider, original: bool) -> dict[str, Any]:
    from embanon.leak import describe_alert, format_day

    alert = alerted.alert
    return {
        "day": format_day(alert.day), "since": format_day(alert.since), "rule": alert.rule, "user": alerted.user,
        "value": round(alert.value, 4), "limit": round(alert.limit, 4),
        "sentence": describe_alert(alert, [names(entity) for entity in alerted.entities], hide(alerted.folder)),
        "evidence": [
            {"document": hide(fact.document), "entity": names(fact.entity), "risk": round(fact.risk, 4),
             "phrase": fact.text if original and fact.text is not None else fact.phrase} for fact in alerted.evidence
        ],
    }  # fmt: skip


def _as_json(people: Sequence[dict[str, Any]], alerts: Sequence[dict[str, Any]]) -> str:
    return "".join(as_json(row) + "\n" for row in (*people, *({"alert": one.pop("rule")} | one for one in alerts)))


def _as_text(people: Sequence[dict[str, Any]], alerts: Sequence[dict[str, Any]]) -> str:
    if not people:
        say("nobody has opened anything; import a log: embanon leak access")
        return ""
    rows = [
        (person["user"], f"{person['worth']:.2f}", f"{person['total']:.2f}", str(person["opened"]),
         person["last"] or "", ", ".join(f"{known['entity']} {known['known']:.2f}" for known in person["knows"]))
        for person in people
    ]  # fmt: skip
    parts = [format_table(("user", "worth", "sum", "opened", "last", "knows"), rows)]
    for alert in alerts:
        line = f"{alert['day']}: {alert['user']} {alert['sentence']}"
        learnt = [
            ("", f"{row['risk']:.2f}", row["entity"], row["document"], row["phrase"]) for row in alert["evidence"]
        ]
        parts += ["\n", replace_unsafe(line), "\n", format_rows(learnt, [0] * 5)]
    return "".join(parts)
