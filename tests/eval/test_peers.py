"""The peers of the benchmarks, where they are installed, give spans of the texts that they are given."""

from __future__ import annotations

import warnings

import pytest

from eval.peers import PEERS, Peer

TEXTS = ("Ada Berger was born in London on 4 July 1962.", "", "Write to ada@example.org or Ada Berger.")
FOUND = {
    "Presidio, live": [["Ada Berger", "London", "4 July 1962"], [], ["ada@example.org", "Ada Berger"]],
    "spaCy, live": [["Ada Berger", "London", "4 July 1962"], [], ["Ada Berger"]],
    "scrubadub, live": [[], [], ["ada@example.org"]],
}


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.label)
def test_a_peer_gives_the_spans_of_each_text(peer: Peer) -> None:
    if peer.missing:
        pytest.skip(f"not installed: {', '.join(peer.missing)}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # theirs, of libraries that they use
        spans = peer.open()(TEXTS)
    for text, some, wanted in zip(TEXTS, spans, FOUND[peer.label], strict=True):
        assert some == sorted(some)
        assert all(0 <= start < end <= len(text) for start, end in some)
        assert set(wanted) <= {text[start:end] for start, end in some}


def test_what_is_not_installed_is_named() -> None:
    assert Peer("nobody", ("json", "no_such_module"), list).missing == ["no_such_module"]
