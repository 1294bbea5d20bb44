"""Subscriptions, which are iterated by the application."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from ._callbacks import guard
from ._connection import Connection, error_of
from ._continuity import Continuity
from ._errors import SluiceError
from ._frames import Frame, Members
from ._messages import Gap, Message

if TYPE_CHECKING:
    from ._client import Client

#: Position of a subscription; an application can store it as JSON.
Position = dict[str, Any]

#: Refusals after which the node may accept the subscription or consumer later.
TEMPORARY = ("rate-limited", "broker-unavailable", "too-many-topics", "too-many-consumers")
#: Factor of the limit of queued messages while a call is unanswered. A loop that waits for an
#: answer would otherwise wait for itself.
CALL_FACTOR = 16


class Subscription:
    """Subscription to a topic or pattern; an asynchronous iterator of its messages.

    It survives reconnects until it is closed, or the iteration raises the refusal of the node.
    """

    def __init__(
        self, client: Client, topic: str, start: Any, options: Members, max_queued: int
    ) -> None:
        self.topic = topic
        #: Called with each gap, between the messages before and after it.
        self.on_gap: Callable[[Gap], None] | None = None
        #: Called by the iteration, in the order of events, with "live", "pending", and the code of a
        #: refusal.
        self.on_state: Callable[[str], None] | None = None
        self.continuity = Continuity(start)
        self.ref: int | None = None
        self._client = client
        self._options = options
        self._max_queued = max_queued
        #: Messages, gaps and states with the position after each.
        self._queue: deque[tuple[Message | Gap | str, Position | None]] = deque()
        self._position: Position | None = None
        #: Set when an event is queued, or the subscription has ended.
        self._arrived = asyncio.Event()
        self._taken = asyncio.Event()
        self._end: SluiceError | None = None
        self._is_closed = False
        self._state = "pending"
        self.failures = 0
        #: Number of answers, gaps and refusals.
        self.generation = 0
        #: Whether the node has refused it, and it is requested again later.
        self.is_refused = False

    @property
    def key(self) -> str:
        return f"{self.topic} {self._options['where']}" if self.is_tagged else self.topic

    @property
    def is_tagged(self) -> bool:
        return "where" in self._options

    @property
    def position(self) -> Position | None:
        """Position after the message that was iterated last, to be stored.

        It is None before the first answer and during a snapshot.
        """
        return self._position if self._queue else self.continuity.position

    async def __aenter__(self) -> Subscription:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __aiter__(self) -> AsyncIterator[Message]:
        return self._messages()

    async def _messages(self) -> AsyncIterator[Message]:
        async for event in self.events():
            if isinstance(event, Message):
                yield event
            elif self.on_gap:
                self.on_gap(event)

    async def events(self) -> AsyncIterator[Message | Gap]:
        """Iterates messages, and gaps as objects between them."""
        while True:
            while not self._queue:
                if self._end:
                    raise self._end
                if self._is_closed:
                    return
                self._arrived.clear()
                await self._arrived.wait()
            event, self._position = self._queue.popleft()
            self._taken.set()
            if isinstance(event, str):
                guard(self.on_state, event)
            else:
                yield event

    async def close(self) -> None:
        """Ends the subscription and its iteration."""
        self.end(None)
        await self._client.unsubscribe(self)

    def end(self, error: SluiceError | None) -> None:
        """Ends the iteration, with an error if there is one."""
        self._is_closed = True
        self._end = self._end or error
        self._arrived.set()
        self._taken.set()

    def frame(self, ref: int) -> Members:
        """Returns the request on a new connection."""
        self.ref = ref
        self.is_refused = False
        return self.request(ref, self.continuity.subscribe())

    def request(self, ref: int, start: Any) -> Members:
        """Returns a request with a start; None is now."""
        frame: Members = {"type": "subscribe", "ref": ref, "topic": self.topic, **self._options}
        if self.is_tagged:
            frame["tagged"] = True
        return frame if start is None else {**frame, "from": start}

    def withdrawal(self, ref: int, request: int) -> Members:
        """Returns the frame that ends the subscription with a request."""
        frame: Members = {"type": "unsubscribe", "ref": ref, "topic": self.topic}
        return {**frame, "subscription": request} if self.is_tagged else frame

    def on_move(self, ref: int | None) -> None:
        """Continues on a connection on which it was requested with this ref, if there is one."""
        self.ref = ref
        if ref is not None:
            self.continuity.subscribe()

    def notify(self, state: str) -> None:
        """Queues a state; a repeated one replaces the last, as states must not fill the queue."""
        if state == self._state:
            return
        self._state = state
        if self._queue and isinstance(self._queue[-1][0], str):
            self._queue.pop()
        self._queue.append((state, self.continuity.position))
        self._arrived.set()

    async def on_subscribed(self, connection: Connection, frame: Frame) -> None:
        self.generation += 1
        reason = self.continuity.subscribed(frame, connection.overlap)
        if reason:
            await self._put(connection, Gap(self.topic, reason))
        self.failures = 0
        self.notify("live")

    async def on_message(self, connection: Connection, frame: Frame) -> None:
        message = Message.of(frame)
        if self.continuity.message(frame):
            await self._put(connection, message)

    async def on_unreadable(self, connection: Connection, members: Members | None) -> None:
        """Reports a gap; `members` are those of the frame if it belongs to the subscription."""
        self.generation += 1
        if members is not None:
            self.continuity.unreadable(members)
        await self._put(connection, Gap(self.topic, "unreadable"))

    async def on_gap_frame(self, connection: Connection, frame: Frame) -> None:
        self.generation += 1
        await self._put(connection, Gap(self.topic, self.continuity.gap(frame)))

    def on_refused(self, frame: Frame) -> bool:
        """Records a refusal; returns whether the subscription is requested again later."""
        error = error_of(frame)
        self.ref = None
        self.generation += 1
        self.is_refused = True
        self.notify(error.code)
        if error.code in TEMPORARY:
            self.failures += 1
            return True
        self.end(error)
        return False

    async def _put(self, connection: Connection, event: Message | Gap) -> None:
        self._queue.append((event, self.continuity.position))
        self._arrived.set()
        # The socket is not read while the loop of the application is slower.
        while len(self._queue) > self._limit(connection) and not self._is_closed:
            if connection.is_ended:
                return
            self._taken.clear()
            connection.changed.clear()
            await _first(self._taken, connection.changed)

    def _limit(self, connection: Connection) -> int:
        return self._max_queued if connection.is_idle else self._max_queued * CALL_FACTOR


async def _first(*events: asyncio.Event) -> None:
    """Waits for the first of the events."""
    tasks = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
