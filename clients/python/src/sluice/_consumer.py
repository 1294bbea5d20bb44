"""Consumers of queues, and of durable and shared subscriptions."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from ._callbacks import guard
from ._connection import Connection, error_of
from ._errors import SluiceError, invalid_argument
from ._frames import Frame, Members
from ._messages import NO_OPTIONS, Content, Payload, PublishOptions, Reply, decode, encode
from ._subscription import TEMPORARY

if TYPE_CHECKING:
    from ._client import Client

Handler = Callable[["Delivery"], Any]


class Delivery(Content):
    """Message delivered to a consumer; each is settled once."""

    def __init__(self, consumer: Consumer, connection: Connection, frame: Frame) -> None:
        self.tag = frame.number("tag")
        #: Concrete topic; None for a queue and for a subscription without a pattern.
        self.topic = frame.optional_text("topic")
        self.id = frame.id()
        self.time = frame.number("time")
        #: True: delivered before; "unknown": perhaps; False: certainly not.
        self.redelivered: bool | Literal["unknown"] = (
            "unknown" if frame.members.get("redelivered") == "unknown" else frame.flag("redelivered")
        )
        self.properties = frame.properties()
        self.message_type = frame.optional_text("messageType")
        self.correlation_id = frame.optional_text("correlationId")
        self.group = frame.optional_text("group")
        #: {"topic": "…"} or {"queue": "…"}; None if no reply is requested.
        self.reply_to = frame.optional_members("replyTo") or None
        self.payload = decode(frame)
        self.is_settled = False
        self.connection = connection
        self.reference: Members = {"subscription": frame.number("ref"), "tag": self.tag}
        self._consumer = consumer

    async def ack(self) -> None:
        """Acknowledges the message; returns when the broker has removed it."""
        await self._settle("ack")

    async def release(self) -> None:
        """Returns the message to the queue, from which it is delivered again."""
        await self._settle("release")

    async def reject(self) -> None:
        """Moves the message to the dead-letter queue."""
        await self._settle("reject")

    async def respond(self, payload: Payload, options: PublishOptions = NO_OPTIONS) -> None:
        """Publishes a reply to `reply_to`. The message remains pending."""
        members = options.members("id", "correlation_id", "reply_to")
        await self._send({"type": "respond", **self.reference, **encode(payload), **members})

    async def _settle(self, kind: str) -> None:
        if self.is_settled:
            text = "the message was settled or has returned to its queue"
            raise SluiceError("not-pending", text)
        self.mark_settled()
        await self._send({"type": kind, **self.reference})

    async def _send(self, frame: Members) -> None:
        await self.connection.call(self._consumer.client.next_ref(), frame)

    def mark_settled(self) -> None:
        """Records that the message is settled or has returned to the queue."""
        self.is_settled = True
        self._consumer.pending.discard(self)


class Consumer:
    """Consumer, which survives reconnects until it is closed."""

    def __init__(
        self,
        client: Client,
        source: Members,
        handler: Handler,
        credit: int,
        where: str | None,
        ack: str,
        on_state: Callable[[str], None] | None,
        on_error: Callable[[SluiceError], None] | None,
    ) -> None:
        if credit < 0:
            raise invalid_argument(f"credit must be at least 0, not {credit}")
        if ack not in ("auto", "manual"):
            raise invalid_argument(f'ack must be "auto" or "manual", not {ack!r}')
        self.client = client
        self.state = "pending"
        self.pending: set[Delivery] = set()
        self.ref: int | None = None
        self.failures = 0
        self._source = source
        self._handler = handler
        self._credit = credit
        self._where = where
        self._is_manual = ack == "manual"
        self._on_state = on_state
        self._on_error = on_error
        self._connection: Connection | None = None
        self._queue: asyncio.Queue[Delivery] = asyncio.Queue()
        #: Whether a handler is running is known by its lock.
        self._running = asyncio.Lock()
        self._worker = asyncio.ensure_future(self._work())
        #: Whether the consumer receives no further messages.
        self.is_closing = False

    async def __aenter__(self) -> Consumer:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def set_credit(self, credit: int) -> None:
        """Changes the credit; 0 pauses the consumer."""
        if credit < 0:
            raise invalid_argument(f"credit must be at least 0, not {credit}")
        self._credit = credit
        self._send_credit(credit)

    def pause(self) -> None:
        """Pauses the consumer on this connection."""
        self._send_credit(0)

    def _send_credit(self, credit: int) -> None:
        self._post({"type": "credit", "subscription": self.ref, "credit": credit})

    def _post(self, frame: Members) -> None:
        # After the end of its connection, the consumer has ended at the node.
        if self._connection and self.ref is not None:
            self._connection.post(frame)

    async def close(self) -> None:
        """Ends the consumer. A running handler is completed, other messages return to the queue."""
        self.is_closing = True
        self.pause()
        if asyncio.current_task() is self._worker:
            # The handler itself has called; it has to complete first.
            self.client.start(self.close())
            return
        async with self._running:
            pass
        ref = self.client.next_ref()
        self._post({"type": "unsubscribe", "ref": ref, "subscription": self.ref})
        self.client.consumers.remove(self)
        self.end()

    def end(self) -> None:
        """Ends the consumer without the node."""
        self.is_closing = True
        # A handler that has closed the client completes.
        if asyncio.current_task() is not self._worker:
            self._worker.cancel()
        self.return_all()
        self.notify("closed")

    def frame(self, connection: Connection, ref: int) -> Members:
        """Returns the request on a new connection."""
        is_moved = self.ref is not None
        self.ref, self._connection = ref, connection
        if not is_moved:
            self.notify("pending")
        frame: Members = {"type": "consume", "ref": ref, **self._source, "credit": self._credit}
        return {**frame, "where": self._where} if self._where else frame

    def notify(self, state: str) -> None:
        if self.state not in (state, "closed"):
            self.state = state
            guard(self._on_state, state)

    def report(self, error: SluiceError) -> None:
        """Reports an error of a settlement, of the handler or of the consumer."""
        guard(self._on_error, error)

    def on_delivery(self, connection: Connection, frame: Frame) -> None:
        delivery = Delivery(self, connection, frame)
        self.pending.add(delivery)
        # The credit limits the queue.
        self._queue.put_nowait(delivery)

    def on_released(self, connection: Connection, frame: Frame) -> None:
        self.return_all(connection, frame.optional_number("tag"))
        if "shared" in self._source and frame.text("reason") == "broker-lost":
            text = "messages of a shared subscription may be missing"
            self.report(SluiceError("messages-missing", text))

    def on_refused(self, connection: Connection, frame: Frame) -> bool:
        """Records a refusal; returns whether the consumer is requested again soon."""
        error = error_of(frame)
        self.return_all(connection)
        if connection is not self._connection:
            return False
        self.ref, self._connection = None, None
        self.failures += 1
        self.notify("refused")
        self.report(error)
        return error.code in TEMPORARY

    def on_end(self, connection: Connection) -> None:
        """Records the end of a connection: unsettled messages have returned to the queue."""
        self.return_all(connection)
        if connection is self._connection:
            self.ref, self._connection = None, None
            self.notify("pending")

    def return_all(self, connection: Connection | None = None, tag: int | None = None) -> None:
        """Forgets messages that have returned to the queue."""
        for delivery in list(self.pending):
            is_concerned = connection in (None, delivery.connection) and tag in (None, delivery.tag)
            if is_concerned:
                delivery.mark_settled()

    async def _work(self) -> None:
        while not self.is_closing:
            delivery = await self._queue.get()
            if not self.is_closing and not delivery.is_settled:
                async with self._running:
                    await self._process(delivery)

    async def _process(self, delivery: Delivery) -> None:
        try:
            result = self._handler(delivery)
            if inspect.isawaitable(result):
                await result
            settle = None if self._is_manual else delivery.ack
        except (Exception, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and self._is_cancelled():
                raise
            self.report(SluiceError("handler-failed", f"the handler has failed: {error!r}"))
            settle = delivery.release
        if settle and not delivery.is_settled:
            try:
                await settle()
            except SluiceError as error:
                self.report(error)

    def _is_cancelled(self) -> bool:
        """Returns whether the worker is cancelled, not only a task that the handler awaits."""
        # Before Python 3.11 both look alike.
        cancelling = getattr(asyncio.current_task(), "cancelling", None)
        return self.is_closing or cancelling is None or cancelling() > 0


class _Source:
    """Source of consumers."""

    def __init__(self, client: Client, source: Members) -> None:
        self._client = client
        self._source = source

    def consume(
        self,
        handler: Handler,
        *,
        credit: int = 1,
        where: str | None = None,
        ack: str = "auto",
        on_state: Callable[[str], None] | None = None,
        on_error: Callable[[SluiceError], None] | None = None,
    ) -> Consumer:
        """Consumes messages one after the other.

        `handler` is a function or coroutine function. The message is acknowledged when it returns,
        and released when it raises. With `ack="manual"` it settles each message. `credit` is the
        maximum number of messages that are delivered and not settled. `on_state` receives
        "pending", "consuming", "refused" and "closed".
        """
        self._client.require_open()
        consumer = Consumer(
            self._client, self._source, handler, credit, where, ack, on_state, on_error
        )
        self._client.consumers.add(consumer)
        return consumer


class Queue(_Source):
    """Queue of the broker."""

    def __init__(self, client: Client, name: str) -> None:
        super().__init__(client, {"queue": name})
        self.name = name

    async def publish(self, payload: Payload, options: PublishOptions = NO_OPTIONS) -> None:
        """Sends a message; returns when the broker has stored it."""
        await self._client.publish(self._source, payload, options)

    async def request(
        self, payload: Payload, options: PublishOptions = NO_OPTIONS, *, timeout: float = 5.0
    ) -> Reply:
        """Sends a request and returns the first reply within `timeout` seconds."""
        return await self._client.request(self._source, payload, options, timeout=timeout)


class SharedSubscription(_Source):
    """Subscription whose consumers share the messages; it exists while it has a consumer."""

    def __init__(self, client: Client, topic: str, name: str) -> None:
        super().__init__(client, {"topic": topic, "shared": name})


class DurableSubscription(_Source):
    """Subscription whose messages the broker retains until it is deleted."""

    def __init__(self, client: Client, topic: str, name: str) -> None:
        super().__init__(client, {"topic": topic, "durable": name})

    async def delete(self) -> None:
        """Removes the subscription with its messages."""
        await self._client.send({"type": "delete", **self._source})
