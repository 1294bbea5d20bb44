"""What one subscription keeps so that nothing is missed in silence and nothing comes twice.

This is section 8 of PROTOCOL.md. It does no I/O: it is told what comes, and tells the application.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Callable

KEPT_IDS = 8
LEAST_OVERLAP = 16


def is_position(start: Any) -> bool:
    return isinstance(start, dict) and "epoch" in start


class Continuity:
    """One subscription across connections.

    `start` is "now", "snapshot", {"last": 20}, a position that was kept, or None, which is now.
    """

    def __init__(
        self,
        start: Any,
        on_message: Callable[[dict], None],
        on_gap: Callable[[str], None],
    ) -> None:
        self._on_message = on_message
        self._on_gap = on_gap
        #: With what to subscribe next, until this connection's messages say otherwise.
        self._resume = None if start == "now" else start
        #: The node's answer on this connection.
        self._answer: dict | None = None
        self._offset = 0
        self._ids: list[str] = []
        self._since: int | None = None
        self._time: int | None = None
        #: What a message must not be among, oldest first.
        self._recent: OrderedDict[str, None] = OrderedDict()
        self._overlap = LEAST_OVERLAP
        #: Messages between the latest caught-up and the one before, and since the latest.
        self._since_earlier = 0
        self._since_latest = 0
        #: Replayed messages that are still to come.
        self._replay_left = 0
        #: Something of this connection's replay has come, or there is none.
        self._replay_begun = False
        self._in_snapshot = False
        #: The application was given a message, or told of a gap.
        self._told = False

    @property
    def is_answered(self) -> bool:
        return self._answer is not None

    @property
    def position(self) -> dict | None:
        """What is to be kept now; None while there is nothing to which one could return."""
        following = self._next()
        return following if is_position(following) else None

    def subscribe(self) -> Any:
        """A new connection stands: returns the value of `from`, or None to leave it out."""
        self._resume = self._next()
        self._answer = None
        return self._resume

    def subscribed(self, answer: dict, overlap: int) -> None:
        """The node has answered; its hello wants `overlap` identities to be remembered."""
        had_position = is_position(self._resume)
        recovered = had_position and answer.get("recovered") is True
        lost = had_position and not recovered
        cut = not had_position and self._told
        self._overlap = max(self._overlap, overlap)
        if lost or cut:
            self._recent.clear()
        self._in_snapshot = lost or self._resume == "snapshot"
        self._answer = answer
        self._offset = answer["offset"]
        self._replay_left = answer.get("replay", 0)
        self._replay_begun = self._replay_left == 0
        if recovered:
            self._go_on(self._resume)
        else:
            self._begin(answer.get("time"))
        if lost:
            self._on_gap("not-recovered")
        elif cut:
            self._on_gap("snapshot-cut")

    def _go_on(self, position: dict) -> None:
        self._since = position.get("since")
        self._time = position.get("time")
        self._ids = []
        # Those of a position that the application has kept are not among the recent ones yet.
        for identity in position.get("ids", ()):
            self._remember(identity)

    def _begin(self, since: int | None) -> None:
        self._ids = []
        self._begin_stream(since)

    def _begin_stream(self, since: int | None) -> None:
        self._since = since
        self._time = None
        self._since_earlier = 0
        self._since_latest = 0

    def message(self, message: dict) -> bool:
        """A message has come; returns whether it was new, and given to the application."""
        self._offset = message["offset"]
        if self._replay_left > 0:
            self._replay_begun = True
            self._replay_left -= 1
            if self._replay_left == 0:
                self._offset = self._answer["offset"]
        self._since_latest += 1
        if not self._remember(message["id"]):
            return False
        self._told = True
        self._on_message(message)
        return True

    def gap(self, gap: dict) -> None:
        """The node tells of a gap, which ends a replay that is under way."""
        self._offset = gap["offset"]
        self._begin_stream(gap["time"])
        self._replay_left = 0
        self._replay_begun = True
        self._told = True
        self._on_gap(gap["reason"])

    def caught_up(self, time: int) -> None:
        """A caught-up has come. It says nothing of what is not answered, or still replayed."""
        if self._answer is None or self._replay_left > 0:
            return
        self._time = time
        self._since_earlier = self._since_latest
        self._since_latest = 0

    def _next(self) -> Any:
        if self._answer is None or not self._replay_begun:
            return self._resume
        if self._replay_left > 0 and self._in_snapshot:
            return "snapshot"
        position = {"epoch": self._answer["epoch"], "offset": self._offset}
        if self._ids:
            position["ids"] = list(self._ids)
        if self._since is not None:
            position["since"] = self._since
        # Otherwise more could be sent again than is remembered.
        if self._time is not None and self._since_earlier + self._since_latest <= self._overlap / 2:
            position["time"] = self._time
        return position

    def _remember(self, identity: str) -> bool:
        """Returns whether the identity was unknown."""
        if identity in self._ids:
            self._ids.remove(identity)
        self._ids = [*self._ids, identity][-KEPT_IDS:]
        unknown = identity not in self._recent
        self._recent[identity] = None
        self._recent.move_to_end(identity)
        while len(self._recent) > self._overlap:
            self._recent.popitem(last=False)
        return unknown
