"""Presence: the topics that a client has entered or watches."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._callbacks import guard
from ._connection import Connection, error_of
from ._errors import SluiceError, invalid_argument
from ._frames import Frame, Members
from ._subscription import TEMPORARY

if TYPE_CHECKING:
    from ._client import Client


@dataclass(frozen=True)
class PresenceMember:
    """Member of a topic."""

    #: Identifies the member in its topic.
    id: str
    #: Subject of its credential; None without one.
    subject: str | None
    #: Value that it has sent; None for none.
    info: Any

    @classmethod
    def of(cls, member: Any) -> PresenceMember:
        frame = Frame(member if isinstance(member, dict) else {}, "present: member")
        return cls(frame.text("id"), frame.optional_text("subject"), frame.members.get("info"))


class Presence:
    """Presence of one topic at all nodes; `async with` leaves it. It survives reconnects."""

    def __init__(
        self,
        owner: Presences,
        topic: str,
        enter: bool,
        members: bool,
        info: Any,
        on_change: Callable[[Presence], None] | None,
    ) -> None:
        self.topic = topic
        #: Number of members.
        self.count = 0
        #: Members, without order. None if only their number was requested, or if there are more
        #: than the node sends.
        self.members: list[PresenceMember] | None = None
        #: Id of the client's member; None if it has not entered.
        self.self_id: str | None = None
        #: Whether members at other nodes may be missing.
        self.partial = False
        #: False while there is no connection: the other values may be outdated.
        self.live = False
        self.ref: int | None = None
        self.failures = 0
        self.opened: asyncio.Future[Presence] = asyncio.get_running_loop().create_future()
        self._owner = owner
        self._enter = enter
        self._has_members = members
        self._info = _checked(info)
        self._on_change = on_change
        self._by_id: dict[str, PresenceMember] | None = None
        self._is_answered = False

    async def __aenter__(self) -> Presence:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.leave()

    def update(self, info: Any) -> None:
        """Replaces the value that others receive with the member."""
        self._info = _checked(info)
        self._owner.request(self)

    def leave(self) -> None:
        """Leaves the topic, and watches it no longer."""
        self._owner.leave(self)

    def frame(self, ref: int, key: str) -> Members:
        """Returns the request."""
        self.ref, self._is_answered = ref, False
        members = {
            "enter": self._enter or None,
            "watch": True,
            "members": self._has_members or None,
            "key": key if self._enter else None,
            "info": self._info if self._enter else None,
        }
        given = {name: value for name, value in members.items() if value is not None}
        return {"type": "presence", "ref": ref, "topic": self.topic, **given}

    def on_answer(self, frame: Frame) -> None:
        self._is_answered = True
        self.failures = 0
        self.self_id = frame.optional_text("self")
        self._apply(frame)
        if not self.opened.done():
            self.opened.set_result(self)

    def on_change(self, frame: Frame) -> None:
        """Applies a change; before the answer it belongs to an earlier request."""
        if self._is_answered:
            self._apply(frame)

    def _apply(self, frame: Frame) -> None:
        self.count = frame.number("count")
        self.partial = frame.flag("partial")
        if frame.has("members"):
            self._by_id = {}
            self._put(frame.list("members"))
        elif frame.flag("truncated"):
            self._by_id = None
        if self._by_id is not None:
            for left in frame.list("left"):
                self._by_id.pop(left, None)
            self._put(frame.list("joined"))
        self.members = None if self._by_id is None else list(self._by_id.values())
        self.live = True
        guard(self._on_change, self)

    def _put(self, members: list[Any]) -> None:
        assert self._by_id is not None
        for one in members:
            member = PresenceMember.of(one)
            self._by_id[member.id] = member

    def on_lost(self) -> None:
        self.ref, self._is_answered = None, False
        if self.live:
            self.live = False
            guard(self._on_change, self)

    def fail(self, error: SluiceError) -> bool:
        """Fails the opening; returns False if it was open already."""
        is_opening = not self.opened.done()
        if is_opening:
            self.opened.set_exception(error)
            # The caller may have been cancelled.
            self.opened.exception()
        return is_opening


def _checked(info: Any) -> Any:
    try:
        json.dumps(info, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise invalid_argument(f"info must be JSON: {error}") from error
    return info


class Presences:
    """Presences of one client."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._by_topic: dict[str, Presence] = {}
        #: Secret by which the nodes recognize the client after a reconnect.
        self._key = secrets.token_hex(16)

    async def open(
        self,
        topic: str,
        enter: bool,
        members: bool,
        info: Any,
        on_change: Callable[[Presence], None] | None,
    ) -> Presence:
        if topic in self._by_topic:
            raise invalid_argument(f"a presence exists: {topic}")
        presence = Presence(self, topic, enter, members, info, on_change)
        self._by_topic[topic] = presence
        self.request(presence)
        try:
            return await asyncio.shield(presence.opened)
        except asyncio.CancelledError:
            presence.leave()
            raise

    def request(self, presence: Presence) -> None:
        connection = self._client.connection
        if connection is None or self._by_topic.get(presence.topic) is not presence:
            return
        if connection.has_feature("presence"):
            connection.post(presence.frame(self._client.next_ref(), self._key))
        else:
            self._refuse(presence, SluiceError("unsupported", "the node has no presence"))

    def leave(self, presence: Presence) -> None:
        if self._by_topic.get(presence.topic) is not presence:
            return
        del self._by_topic[presence.topic]
        connection = self._client.connection
        if connection and presence.ref is not None:
            ref = self._client.next_ref()
            connection.ignore(ref)
            connection.post({"type": "leave", "ref": ref, "topic": presence.topic})
        presence.on_lost()
        presence.fail(SluiceError("closed", f"the client has left {presence.topic}"))

    def on_open(self) -> None:
        for presence in list(self._by_topic.values()):
            self.request(presence)

    def on_refreshed(self) -> None:
        """Requests the refused presences again."""
        for presence in list(self._by_topic.values()):
            if presence.ref is None:
                self.request(presence)

    def on_end(self) -> None:
        for presence in list(self._by_topic.values()):
            presence.on_lost()

    def on_closed(self) -> None:
        for presence in list(self._by_topic.values()):
            presence.on_lost()
            presence.fail(SluiceError("closed", "the client is closed"))
        self._by_topic.clear()

    def on_present(self, frame: Frame) -> None:
        presence = self._by_topic.get(frame.text("topic"))
        if presence is None:
            return
        if not frame.has("ref"):
            presence.on_change(frame)
        elif frame.ref == presence.ref:
            presence.on_answer(frame)

    def on_error(self, connection: Connection, frame: Frame) -> bool:
        """Returns whether the error belongs to a presence, and handles it."""
        for presence in list(self._by_topic.values()):
            if frame.has("ref") and frame.ref == presence.ref:
                error = error_of(frame)
                is_refused = self._refuse(presence, error)
                if not is_refused and error.code in TEMPORARY:
                    self._client.start(self._request_later(connection, presence))
                return True
        return False

    def _refuse(self, presence: Presence, error: SluiceError) -> bool:
        """Handles an error; returns whether the opening has failed."""
        presence.on_lost()
        if presence.fail(error):
            del self._by_topic[presence.topic]
            return True
        presence.failures += 1
        self._client.report(error)
        return False

    async def _request_later(self, connection: Connection, presence: Presence) -> None:
        failures = presence.failures
        await asyncio.sleep(self._client.backoff(failures))
        is_missing = presence.ref is None and presence.failures == failures
        if connection is self._client.connection and is_missing:
            self.request(presence)
