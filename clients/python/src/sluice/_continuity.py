"""Position, gap detection and duplicate detection of one subscription: PROTOCOL.md, section 8.

It performs no I/O: its methods record frames and return what the application has to receive.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from ._frames import Frame, is_id

POSITION_IDS = 8
MAX_IDS = 1_024
PARTITION_DIGITS = 4
MIN_OVERLAP = 16


def is_position(start: Any) -> bool:
    return isinstance(start, dict) and "epoch" in start


class Continuity:
    """Subscription across connections.

    `start` is "now", "snapshot", {"last": 20}, a stored position, or None, which means now.
    """

    def __init__(self, start: Any) -> None:
        #: Start of the next request, until messages of this connection supersede it.
        self._resume_from = None if start == "now" else start
        #: Epoch of the node's answer on this connection.
        self._epoch: str | None = None
        self._answer_offset = 0
        self._offset = 0
        #: Identities of the position, newest last: the highest by partition if it is ordered.
        self._ids: OrderedDict[str, str] = OrderedDict()
        #: Whether the source has offsets.
        self._is_ordered = False
        #: Whether a position was recovered, so that no replayed message precedes it.
        self._is_recovered = False
        self._since: int | None = None
        self._time: int | None = None
        #: Identities of recent messages for duplicate detection, oldest first; the position is
        #: sufficient if it is ordered.
        self._recent: OrderedDict[str, None] = OrderedDict()
        # The identities of a stored position are not among the recent ones yet.
        if is_position(start):
            self._recent.update(dict.fromkeys(start.get("ids", ())))
        self._overlap = MIN_OVERLAP
        #: Messages between the last two caught-up frames, and since the last one.
        self._count_before = 0
        self._count_since = 0
        #: Number of replayed messages still to come.
        self._replay_left = 0
        #: Whether a message of this connection's replay has arrived, or there is no replay.
        self._has_replay_started = False
        self._in_snapshot = False
        #: Number of received messages, including dropped ones.
        self.count = 0
        #: Whether the application has received a message or a gap.
        self._has_notified = False

    @property
    def is_answered(self) -> bool:
        return self._epoch is not None

    @property
    def epoch(self) -> str | None:
        """Epoch of the answer on this connection; None before it."""
        return self._epoch

    @property
    def is_replaying(self) -> bool:
        """Whether replayed messages of this connection are still to come."""
        return self._epoch is not None and self._replay_left > 0

    @property
    def position(self) -> dict[str, Any] | None:
        """Current position; None while there is none from which to resume."""
        following = self.next()
        return following if is_position(following) else None

    def subscribe(self) -> Any:
        """Records a new request; returns its `from` value, or None to omit it."""
        self._resume_from = self.next()
        self._epoch = None
        return self._resume_from

    def subscribed(self, answer: Frame, overlap: int) -> str | None:
        """Records the node's answer; its hello requires `overlap` identities to be remembered.

        Returns the reason if messages may be missing before the next message.
        """
        epoch, offset, ids = answer.text("epoch"), answer.number("offset"), answer.ids()
        had_position = is_position(self._resume_from)
        recovered = had_position and answer.flag("recovered")
        lost = had_position and not recovered
        cut = not had_position and self._has_notified
        self._overlap = max(self._overlap, overlap)
        if lost or cut:
            self._recent.clear()
        self._in_snapshot = lost or self._resume_from == "snapshot"
        self._epoch, self._offset, self._answer_offset = epoch, offset, offset
        self._is_ordered, self._is_recovered = answer.has("ids"), recovered
        self._replay_left = answer.optional_number("replay") or 0
        self._has_replay_started = self._replay_left == 0
        if recovered:
            self._resume(self._resume_from or {})
        else:
            self._start_stream(answer.optional_number("time"))
            self._set_ids(ids)
        if lost:
            return "not-recovered"
        return "snapshot-cut" if cut else None

    def _resume(self, position: dict[str, Any]) -> None:
        self._since = position.get("since")
        self._time = position.get("time")
        self._set_ids(position.get("ids", ()))

    def _set_ids(self, ids: Iterable[str]) -> None:
        self._ids.clear()
        for identity in ids:
            self._raise(identity)

    def _start_stream(self, since: int | None) -> None:
        self._since = since
        self._time = None
        self._count_before = 0
        self._count_since = 0

    def message(self, message: Frame) -> bool:
        """Records a message; returns whether it is new to the application."""
        identity = message.id()
        self._offset = message.number("offset")
        is_new = self._remember(identity)
        if self._replay_left > 0:
            self._has_replay_started = True
            self._replay_left -= 1
            if self._replay_left == 0:
                self._offset = self._answer_offset
        self._count_since += 1
        self.count += 1
        self._has_notified |= is_new
        return is_new

    def unreadable(self, members: dict[str, Any]) -> None:
        """Records an unreadable message: the position passes it."""
        offset, identity = members.get("offset"), members.get("id")
        # A bool is an int in Python.
        known = type(offset) is int and 0 <= offset < 2**53
        if isinstance(identity, str) and is_id(identity):
            self._remember(identity)
        was_replaying = self._replay_left > 0
        self._replay_left -= was_replaying
        if was_replaying and self._replay_left == 0:
            self._offset, self._has_replay_started = self._answer_offset, True
        elif known:
            self._offset, self._has_replay_started = offset or 0, True
        elif self._has_replay_started:
            self._offset += 1
        self._count_since += 1
        self.count += 1
        self._has_notified = True

    def gap(self, gap: Frame) -> str:
        """Records a gap of the node, which ends a pending replay; returns its reason.

        With an epoch, another stream begins.
        """
        reason, offset, time = gap.text("reason"), gap.number("offset"), gap.number("time")
        if gap.has("epoch"):
            epoch, ids = gap.text("epoch"), gap.ids()
            self._epoch, self._is_ordered = epoch, True
            self._set_ids(ids)
        self._offset = offset
        self._start_stream(time)
        self._replay_left = 0
        self._has_replay_started = True
        self._has_notified = True
        return reason

    def caught_up(self, time: int) -> None:
        """Records a caught-up, which does not apply before the answer or during a replay."""
        if self._epoch is None or self._replay_left > 0:
            return
        self._time = time
        self._count_before = self._count_since
        self._count_since = 0

    def next(self) -> Any:
        """Returns the `from` value of the next request; None to omit it."""
        if self.is_replaying and self._in_snapshot:
            return "snapshot"
        if self._epoch is None or not self._has_replay_started:
            return self._resume_from
        position: dict[str, Any] = {"epoch": self._epoch, "offset": self._offset}
        if self._ids:
            position["ids"] = list(self._ids.values())
        if self._since is not None:
            position["since"] = self._since
        # Otherwise more messages could be repeated than are remembered.
        if self._time is not None and self._count_before + self._count_since <= self._overlap / 2:
            position["time"] = self._time
        return position

    def _raise(self, identity: str) -> bool:
        """Adds an identity to the position; returns whether it is the highest one of its key."""
        key = identity[:PARTITION_DIGITS] if self._is_ordered else identity
        known = self._ids.get(key, "")
        self._ids[key] = max(identity, known)
        self._ids.move_to_end(key)
        if len(self._ids) > (MAX_IDS if self._is_ordered else POSITION_IDS):
            self._ids.popitem(last=False)
        return identity > known

    def _remember(self, identity: str) -> bool:
        """Remembers an identity; returns whether it was new."""
        is_later = self._raise(identity)
        if self._is_ordered:  # a replay without a recovered position precedes the ids of its answer
            return is_later or (self._replay_left > 0 and not self._is_recovered)
        unknown = identity not in self._recent
        self._recent[identity] = None
        self._recent.move_to_end(identity)
        while len(self._recent) > self._overlap:
            self._recent.popitem(last=False)
        return unknown
