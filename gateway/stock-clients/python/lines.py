"""Lines between a test and a stock client, as in node/lines.mjs."""

import os
import sys
import threading

_lock = threading.Lock()


def say(*words):
    """Prints an event."""
    with _lock:
        print(*words, flush=True)


_latest = {}


def is_repeated(message_id):
    """Returns whether an id is one of the latest: another node may repeat messages."""
    if message_id in _latest:
        return True
    _latest[message_id] = None
    if len(_latest) > 1000:
        del _latest[next(iter(_latest))]
    return False


def follow(commands):
    """Runs commands by name until standard input ends."""
    for line in sys.stdin:
        name, _, rest = line.rstrip("\n").partition(" ")
        try:
            commands[name](rest)
        except Exception as failure:
            say("FAILED", name, failure)
    sys.stdout.flush()
    os._exit(0)  # also while a client's thread waits
