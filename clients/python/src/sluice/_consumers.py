"""Consumers of one client, and where they are at the nodes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ._connection import Connection, error_of
from ._consumer import Consumer
from ._frames import Frame, Members

if TYPE_CHECKING:
    from ._client import Client


class Consumers:
    """Consumers, and those at nodes by ref, also on connections that the client has left."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._all: list[Consumer] = []
        self._attached: dict[int | None, tuple[Consumer, Connection]] = {}

    def add(self, consumer: Consumer) -> None:
        self._all.append(consumer)
        if self._client.connection:
            self._request(self._client.connection, consumer)

    def remove(self, consumer: Consumer) -> None:
        if consumer in self._all:
            self._all.remove(consumer)
        for ref in [ref for ref, (one, _) in self._attached.items() if one is consumer]:
            del self._attached[ref]

    def is_attached(self, connection: Connection) -> bool:
        """Returns whether consumers were requested on a connection."""
        return any(connection is at for _, at in self._attached.values())

    def pending(self, connection: Connection) -> int:
        """Returns the number of messages of a connection that are not settled."""
        pending = (one for consumer in self._all for one in consumer.pending)
        return sum(delivery.connection is connection for delivery in pending)

    def on_open(self, connection: Connection) -> None:
        """Requests the consumers; those that are still on another connection are paused there."""
        for consumer in self._all:
            consumer.pause()
            self._request(connection, consumer)

    def on_refreshed(self, connection: Connection) -> None:
        """Requests the refused consumers again."""
        for consumer in self._all:
            if consumer.ref is None:
                self._request(connection, consumer)

    def on_left(self, connection: Connection) -> None:
        """Records the end of a connection."""
        for ref in [ref for ref, (_, at) in self._attached.items() if at is connection]:
            del self._attached[ref]
        for consumer in self._all:
            consumer.on_end(connection)

    def on_closed(self) -> None:
        for consumer in self._all:
            consumer.end()
        self._all.clear()

    def _request(self, connection: Connection, consumer: Consumer) -> None:
        if not consumer.is_closing:
            ref = self._client.next_ref()
            self._attached[ref] = (consumer, connection)
            connection.post(consumer.frame(connection, ref))

    async def _request_later(self, connection: Connection, consumer: Consumer) -> None:
        failures = consumer.failures
        await asyncio.sleep(self._client.backoff(failures))
        is_missing = consumer in self._all and consumer.ref is None and consumer.failures == failures
        if is_missing and connection is self._client.connection:
            self._request(connection, consumer)

    def on_frame(self, connection: Connection, frame: Frame) -> bool:
        """Returns whether the frame belongs to a consumer, and handles it."""
        kind = frame.kind
        if kind == "error":
            return self._on_error(connection, frame)
        if kind not in ("consuming", "delivery", "released"):
            return False
        consumer, _ = self._attached.get(frame.number("ref"), (None, None))
        if consumer and kind == "consuming":
            consumer.failures = 0
            consumer.notify("consuming")
        elif consumer and kind == "delivery":
            consumer.on_delivery(connection, frame)
        elif consumer:
            consumer.on_released(connection, frame)
        return True

    def on_unreadable(self, connection: Connection, members: Members) -> None:
        """Rejects a message that cannot be read, if its consumer and its tag can."""
        ref, tag = members.get("ref"), members.get("tag")
        if type(ref) is int and ref in self._attached and type(tag) is int:
            reject = {"type": "reject", "subscription": ref, "tag": tag}
            connection.post({**reject, "ref": self._client.next_ref()})

    def _on_error(self, connection: Connection, frame: Frame) -> bool:
        ref = frame.ref if frame.has("ref") else None
        consumer, _ = self._attached.pop(ref, (None, None))
        if consumer:
            if consumer.on_refused(connection, frame):
                self._client.start(self._request_later(connection, consumer))
            return True
        consumer, _ = self._attached.get(frame.optional_number("subscription"), (None, None))
        if consumer:
            consumer.report(error_of(frame))
        return consumer is not None
