"""Reaction to close codes, and backoff: PROTOCOL.md, section 7."""

from __future__ import annotations

import enum
import random


class AfterClose(enum.Enum):
    """Reaction of the client to a close code."""

    RETRY = "retry"
    RETRY_ELSEWHERE = "retry elsewhere"
    DONT_RETRY = "don't retry"


def after_close(code: int) -> AfterClose:
    """Returns the reaction to a close code; 1006 if a connection ended without one."""
    if 4100 <= code <= 4199:
        return AfterClose.RETRY_ELSEWHERE
    # Any other code may come from an intermediary.
    if code in (4200, 4201, 4203, 4204, 4205):
        return AfterClose.DONT_RETRY
    return AfterClose.RETRY


def backoff(failures: int, minimum: float, maximum: float) -> float:
    """Returns the wait in seconds: random between 0 and a bound that doubles with each failure."""
    bound = minimum * 2.0 ** min(max(0, failures - 1), 30)
    return random.uniform(0, min(bound, maximum))
