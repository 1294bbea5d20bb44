"""Client: connections with backoff and redirects, and everything that uses them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Sequence
from ssl import SSLContext
from typing import Any

from ._callbacks import guard
from ._calls import Calls
from ._connection import Connection, error_of
from ._connector import Connector, Settings
from ._consumer import DurableSubscription, Queue, SharedSubscription
from ._consumers import Consumers
from ._errors import SluiceError, invalid_argument
from ._frames import UNREADABLE, BadFrame, Frame, Members
from ._messages import NO_OPTIONS, Destination, Gap, Payload, PublishOptions, Reply
from ._messages import encode, put, target
from ._presence import Presence, Presences
from ._renewal import Token, bad_answer
from ._subscription import Subscription
from ._transaction import Transaction


class Client:
    """Client of one or more nodes. It belongs to one event loop, which calls all callbacks.

    `url` is an address such as "wss://example.com/ws", or several, tried in their order. `token` is
    a credential, or a function or coroutine function that supplies one for each connection. A client
    has one user: a credential of another subject ends it with `identity-changed`.
    `encoding` is that of messages on the wire, "binary" or "json", which is readable in traces.
    `on_state` receives "connecting", "open", "stale", "draining" and "closed"; `on_error` receives
    errors that belong to no call. Times are in seconds.
    """

    def __init__(
        self,
        url: str | Sequence[str],
        *,
        token: Token | None = None,
        redirect: bool = True,
        encoding: str = "binary",
        min_backoff: float = 0.5,
        max_backoff: float = 30.0,
        connect_timeout: float = 10.0,
        publish_timeout: float = 30.0,
        max_publishes: int = 1_000,
        max_queued: int = 1_024,
        ssl: SSLContext | None = None,
        on_state: Callable[[str], None] | None = None,
        on_error: Callable[[SluiceError], None] | None = None,
    ) -> None:
        urls = [url] if isinstance(url, str) else list(url)
        self._settings = Settings(
            urls, token, redirect, min_backoff, max_backoff, connect_timeout, ssl, encoding
        )
        if max_queued < 1:
            raise invalid_argument(f"max_queued must be at least 1, not {max_queued}")
        self._max_queued = max_queued
        self._on_state, self._on_error = on_state, on_error
        self.state = "connecting"
        self._refs = itertools.count(1)
        self._subscriptions: dict[str, Subscription] = {}
        self.consumers = Consumers(self)
        self._presences = Presences(self)
        #: Connections that the client has left, until they have ended.
        self._retired: set[Connection] = set()
        self._tasks: set[asyncio.Future[Any]] = set()
        self.connection: Connection | None = None
        self.calls = Calls(self, max_publishes, publish_timeout)
        self._connector = Connector(self, self._settings)
        self._end: SluiceError | None = None

    async def __aenter__(self) -> Client:
        self.start(self._connector.run())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection permanently. Unanswered calls raise `closed`."""
        connections = [*self._retired, self.connection]
        self.finish(SluiceError("closed", "the client is closed"), None)
        for connection in connections:
            if connection:
                await connection.close()
                connection.end()
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def finish(self, end: SluiceError, refusal: SluiceError | None) -> None:
        if self._end:
            return
        self._end = end
        self.calls.unblock()
        for subscription in list(self._subscriptions.values()):
            subscription.end(refusal)
        self._subscriptions.clear()
        self.consumers.on_closed()
        self._presences.on_closed()
        self.notify("closed")

    def abort(self, error: SluiceError) -> None:
        """Ends the client and its connections because of an error."""
        connections = [*self._retired, self.connection]
        self.finish(error, error)
        for connection in connections:
            if connection:
                connection.end()
        self.report(error)

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Starts a task that ends with the client."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._on_task_done)

    def _on_task_done(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        failure = None if task.cancelled() else task.exception()
        if failure:
            error = SluiceError("internal", f"a bug in the client: {failure!r}")
            error.__cause__ = failure
            self.finish(error, error)
            self.report(error)

    def next_ref(self) -> int:
        return next(self._refs)

    def retry_now(self) -> None:
        """Reconnects at once if the client waits for its next attempt."""
        self._connector.retry_now()

    def subscribe(
        self,
        topic: str,
        *,
        start: Any = None,
        delivery: str | None = None,
        rate: float | None = None,
        where: str | None = None,
        on_gap: Callable[[Gap], None] | None = None,
        on_state: Callable[[str], None] | None = None,
    ) -> Subscription:
        """Subscribes to a topic or pattern, once for each selector `where`.

        `start` is "now", "snapshot", {"last": 20} or a stored position. `delivery="latest"` keeps
        only the newest message of each topic while the client lags; `rate` is the maximum of
        messages per second.
        """
        self.require_open()
        given = {"delivery": delivery, "rate": rate, "where": where}
        options = {name: value for name, value in given.items() if value is not None}
        subscription = Subscription(self, topic, start, options, self._max_queued)
        subscription.on_gap, subscription.on_state = on_gap, on_state
        if subscription.key in self._subscriptions:
            raise invalid_argument(f"a subscription exists: {subscription.key}")
        self._subscriptions[subscription.key] = subscription
        if self.connection:
            self._request(self.connection, subscription)
        return subscription

    async def unsubscribe(self, subscription: Subscription) -> None:
        """Ends a subscription at the node."""
        if self._subscriptions.get(subscription.key) is not subscription:
            return
        del self._subscriptions[subscription.key]
        if self.connection and subscription.ref is not None:
            self.connection.post(subscription.withdrawal(self.next_ref(), subscription.ref))

    async def publish(
        self, topic: Destination, payload: Payload, options: PublishOptions = NO_OPTIONS
    ) -> None:
        """Publishes a message; returns when the broker has accepted it."""
        frame = {"type": "publish", **target(topic), **put(payload), **options.members()}
        await self.send(frame, is_repeatable=options.id is not None)

    async def request(
        self,
        topic: Destination,
        payload: Payload,
        options: PublishOptions = NO_OPTIONS,
        *,
        timeout: float = 5.0,
    ) -> Reply:
        """Sends a request and returns the first reply within `timeout` seconds; never repeated."""
        members = options.members("id", "reply_to", "correlation_id", "ttl")
        frame = {"type": "request", **target(topic), **encode(payload), **members}
        frame["timeout"] = max(1, round(timeout * 1000))
        answer = await self.send(frame, timeout=timeout + 1, code="timeout")
        try:
            return Reply.of(answer)
        except BadFrame as error:
            raise SluiceError("bad-answer", str(error)) from error

    def queue(self, name: str) -> Queue:
        """Returns a queue of the broker."""
        return Queue(self, name)

    def durable(self, topic: str, name: str) -> DurableSubscription:
        """Returns a durable subscription of the client's principal."""
        return DurableSubscription(self, topic, name)

    def shared(self, topic: str, name: str) -> SharedSubscription:
        """Returns a shared subscription of the client's principal."""
        return SharedSubscription(self, topic, name)

    async def presence(
        self,
        topic: str,
        *,
        enter: bool = True,
        members: bool = True,
        info: Any = None,
        on_change: Callable[[Presence], None] | None = None,
    ) -> Presence:
        """Enters a topic, or with `enter=False` only watches it; returns its first state.

        `info` is the value that others receive with the member. With `members=False` only the count
        is requested, which requires no permission `presence`. Raises `forbidden` without it.
        """
        self.require_open()
        return await self._presences.open(topic, enter, members, info, on_change)

    def transaction(self) -> Transaction:
        """Returns a transaction for `async with`, which commits it at the end of its block."""
        return Transaction(self)

    async def send(
        self,
        frame: Members,
        *,
        is_repeatable: bool = False,
        timeout: float | None = None,
        code: str = "publish-timeout",
    ) -> Frame:
        """Sends a frame with this or the next connection, and returns its answer."""
        self.require_open()
        return await self.calls.send(frame, is_repeatable, timeout, code)

    @property
    def is_closed(self) -> bool:
        return self._end is not None

    def require_open(self) -> None:
        if self._end:
            raise SluiceError("closed", str(self._end)) from self._end

    def notify(self, state: str) -> None:
        if self.state != state:
            self.state = state
            guard(self._on_state, state)

    def show_state(self, connection: Connection) -> None:
        """Reports whether the node has a broker."""
        self.notify("stale" if connection.is_stale else "open")

    def report(self, error: SluiceError) -> None:
        """Reports an error that belongs to no call."""
        guard(self._on_error, error)

    @property
    def subscriptions(self) -> list[Subscription]:
        """Copy of the list of subscriptions, the oldest first."""
        return list(self._subscriptions.values())

    def backoff(self, failures: int) -> float:
        """Returns a random wait that grows with the failures."""
        return self._settings.backoff(failures)

    def on_end(self, connection: Connection) -> None:
        """Records that the client has no connection."""
        self.calls.block()
        self.connection = None
        for subscription in self._subscriptions.values():
            subscription.ref = None
            subscription.notify("pending")
        self._presences.on_end()

    def on_left(self, connection: Connection) -> None:
        """Records that a connection has ended, whether it was the current one or not."""
        self._retired.discard(connection)
        self.consumers.on_left(connection)

    def on_adopted(
        self, old: Connection, new: Connection, refs: dict[Subscription, int]
    ) -> None:
        """Continues on another connection, on which requests were sent already."""
        self.connection = new
        if not old.is_ended:
            self._retired.add(old)
        for subscription in self.subscriptions:
            subscription.on_move(refs.get(subscription))
            if subscription.ref is None:
                self._request(new, subscription)
        self.consumers.on_open(new)
        self._presences.on_open()
        self.calls.unblock()

    def on_open(self, connection: Connection) -> None:
        self.connection = connection
        self.show_state(connection)
        for subscription in list(self._subscriptions.values()):
            self._request(connection, subscription)
        self.consumers.on_open(connection)
        self._presences.on_open()
        self.calls.unblock()

    def on_refreshed(self, connection: Connection) -> None:
        """Requests again what was refused, because the node has accepted another credential."""
        if connection is not self.connection:
            return
        for subscription in list(self._subscriptions.values()):
            self._request(connection, subscription)
        self.consumers.on_refreshed(connection)
        self._presences.on_refreshed()

    def _request(self, connection: Connection, one: Subscription) -> None:
        """Requests a subscription, unless it is requested already."""
        if one.ref is not None or connection is not self.connection:
            return
        if one.is_tagged and not connection.has_feature("selectors"):
            one.end(SluiceError("unsupported", "the node has no selectors"))
        else:
            connection.post(one.frame(self.next_ref()))

    async def _request_later(self, connection: Connection, one: Subscription) -> None:
        failures = one.failures
        await asyncio.sleep(self.backoff(failures))
        if one in self._subscriptions.values() and one.failures == failures:
            self._request(connection, one)

    async def on_frame(self, connection: Connection, frame: Frame) -> None:
        try:
            await self._on_frame(connection, frame)
        except BadFrame as error:
            self.report(bad_answer(error))
            await self._on_unreadable(connection, frame.members)

    async def _on_unreadable(self, connection: Connection, members: Members) -> None:
        """Isolates the consumer or the subscriptions of an unreadable frame."""
        kind = members.get("type")
        if kind == "delivery":
            self.consumers.on_unreadable(connection, members)
        elif connection is not self.connection:
            return
        elif kind == "subscribed" and type(members.get("ref")) is int:
            text = "the answer is unreadable"
            refusal = {"type": "error", "ref": members["ref"], "code": "bad-answer", "message": text}
            self._on_error_frame(connection, Frame(refusal))
        elif kind in (None, "message", "gap"):
            await self._on_unreadable_message(connection, members)

    async def _on_unreadable_message(self, connection: Connection, members: Members) -> None:
        """Reports a gap to the subscription of a frame, or to all if it is unknown."""
        key = members.get("pattern", members.get("topic"))
        if "ref" in members:
            found = [one for one in self.subscriptions if one.ref == members["ref"]]
        else:
            found = [one for one in self.subscriptions if one.key == key]
        for one in found or self.subscriptions:
            if one.continuity.is_answered:
                await one.on_unreadable(connection, members if found else None)

    async def _on_frame(self, connection: Connection, frame: Frame) -> None:
        kind = frame.kind
        if kind == UNREADABLE:
            self.report(SluiceError("bad-answer", frame.text("message")))
            await self._on_unreadable(connection, frame.members)
            return
        if connection.on_answer(frame) or self.consumers.on_frame(connection, frame):
            return
        if connection is not self.connection:
            # The client has left it.
            return
        if kind == "subscribed":
            if subscription := self._by_ref(frame):
                await subscription.on_subscribed(connection, frame)
        elif kind == "message":
            pattern = frame.optional_text("pattern")
            if subscription := self._answered(frame, pattern or frame.text("topic")):
                await subscription.on_message(connection, frame)
        elif kind == "gap":
            if subscription := self._answered(frame, frame.text("topic")):
                await subscription.on_gap_frame(connection, frame)
        elif kind == "caught-up":
            for subscription in self._subscriptions.values():
                subscription.continuity.caught_up(frame.number("time"))
        elif kind == "present":
            self._presences.on_present(frame)
        elif kind == "error":
            self._on_error_frame(connection, frame)
        elif kind in ("stale", "live"):
            self.show_state(connection)
        elif kind in ("draining", "redirect"):
            self._connector.on_move(connection, frame)
        # Other types are late answers or unknown, which must be ignored.

    def _by_ref(self, frame: Frame) -> Subscription | None:
        ref = frame.number("ref")
        found = (one for one in self._subscriptions.values() if one.ref == ref)
        return next(found, None)

    def _answered(self, frame: Frame, topic: str) -> Subscription | None:
        found = self._by_ref(frame) if frame.has("ref") else self._subscriptions.get(topic)
        return found if found and found.continuity.is_answered else None

    def _on_error_frame(self, connection: Connection, frame: Frame) -> None:
        subscription = self._by_ref(frame) if frame.has("ref") else None
        if subscription is None:
            if not self._presences.on_error(connection, frame):
                self.report(error_of(frame))
        elif subscription.on_refused(frame):
            self.start(self._request_later(connection, subscription))
        else:
            self._subscriptions.pop(subscription.key, None)
