"""Train with the fastText library, in a process of its own: `fasttext_library` starts it, and can stop it.

Its standard input stays open as long as somebody waits for it. When that ends, so does all else, and the folder that
the settings name is removed. The library writes how far it is to the standard error, and no text.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from threading import Thread
from typing import Any


def main() -> None:
    """Train as the settings say, which are JSON, and save what was learnt."""
    settings = json.loads(sys.argv[1])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who waits is interrupted as well, and decides
    Thread(target=_end_when_left_alone, args=(settings.pop("folder"),), daemon=True).start()
    _train(settings.pop("target"), settings)
    os._exit(0)  # whatever the other thread waits for


def _train(target: str, settings: dict[str, Any]) -> None:
    # Below the package `fasttext`, whose functions take no seed.
    import fasttext_pybind as library

    arguments = library.args()
    arguments.model, arguments.loss = library.model_name.skipgram, library.loss_name.ns
    for name, value in settings.items():
        setattr(arguments, name, value)
    model = library.fasttext()
    library.train(model, arguments)
    model.saveModel(target)


def _end_when_left_alone(folder: str) -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


if __name__ == "__main__":
    main()
