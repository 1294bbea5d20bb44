"""Client of Sluice with automatic reconnect; requires only Python's standard library (3.9 or later)."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import random
import time
from typing import Any, Callable

from continuity import Continuity
from websocket import ABNORMAL, Closed, WebSocket

RETRY, RETRY_ELSEWHERE, DONT_RETRY = "retry", "retry elsewhere", "don't retry"
MIN_BACKOFF = 0.5
MAX_BACKOFF = 30.0
#: A connection that lasted this many seconds resets the failure count.
STABLE = 5.0
DRAINING = 4100


def after_close(code: int) -> str:
    """Returns the action for a close code: PROTOCOL.md, section 7."""
    if 4100 <= code <= 4199:
        return RETRY_ELSEWHERE
    if 4200 <= code <= 4299 or code in (1002, 1003, 1007, 1008, 1009, 1010):
        return DONT_RETRY
    return RETRY


def backoff(failures: int) -> float:
    """Returns the delay in seconds: random between 0 and a bound that doubles with each failure."""
    bound = MIN_BACKOFF * 2 ** min(max(0, failures - 1), 10)
    return random.uniform(0, min(bound, MAX_BACKOFF))


class Refused(Exception):
    """Refusal of a frame by the node; `code` is stable, the text is for people."""

    def __init__(self, error: dict) -> None:
        super().__init__(error["message"])
        self.code = error["code"]


def parse(text: str) -> dict:
    """Parses a frame. An invalid one ends the connection, as it may have been a message."""
    try:
        frame = json.loads(text)
    except ValueError as error:
        raise Closed(ABNORMAL, "invalid frame: not JSON") from error
    if not isinstance(frame, dict) or "type" not in frame:
        raise Closed(ABNORMAL, "invalid frame: must be a JSON object with a type")
    return frame


def decode(message: dict) -> Any:
    """Returns the payload of a message: a str, bytes, or a JSON value."""
    if message.get("encoding") == "base64":
        return base64.b64decode(message["payload"])
    return message["payload"]


class Subscription:
    """Subscription to a topic or pattern; `position` can be stored and used as a start later."""

    def __init__(self, topic: str, continuity: Continuity, on_state: Callable[[str], None]) -> None:
        self.topic = topic
        self.continuity = continuity
        self.on_state = on_state

    @property
    def position(self) -> dict | None:
        return self.continuity.position


class Consumer:
    """Consumer of a source. `on_delivery` returns how a message is settled: ack, release or reject."""

    def __init__(
        self, source: dict, on_delivery: Callable[[dict], str], credit: int, on_state: Callable[[str], None]
    ) -> None:
        self.source = source
        self.on_delivery = on_delivery
        self.credit = credit
        self.on_state = on_state


class Client:
    """Connection with its subscriptions and consumers. Callbacks run in the event loop."""

    def __init__(self, url: str, token: Callable[[], str] | None = None) -> None:
        self._url = url
        self._token = token
        self._by_topic: dict[str, Subscription] = {}
        self._consumers: list[Consumer] = []
        self._session: Session | None = None

    def consume(
        self,
        source: str | dict,
        on_delivery: Callable[[dict], str],
        credit: int = 1,
        on_state: Callable[[str], None] = lambda state: None,
    ) -> Consumer:
        """Consumes a source on each connection; before `run`.

        `source` is the name of a queue, or a subscription of a topic, such as
        {"topic": "orders.eu", "durable": "desk-1"} or {"topic": "orders.eu", "shared": "workers"}.
        `on_delivery` processes a message and returns "ack", "release" or "reject". An exception
        releases the message. `on_state` receives "consuming", the reason of released messages, or
        the code of an error.
        """
        members = {"queue": source} if isinstance(source, str) else source
        consumer = Consumer(members, on_delivery, credit, on_state)
        self._consumers.append(consumer)
        return consumer

    def subscribe(
        self,
        topic: str,
        on_message: Callable[[dict], None],
        on_gap: Callable[[str], None],
        on_state: Callable[[str], None] = lambda state: None,
        start: Any = None,
    ) -> Subscription:
        """Subscribes to a topic; at most once per topic, and before `run`.

        `on_state` receives "subscribed" on each connection, or the code of an error.
        """
        subscription = Subscription(topic, Continuity(start, on_message, on_gap), on_state)
        self._by_topic[topic] = subscription
        return subscription

    @property
    def is_connected(self) -> bool:
        return self._session is not None

    async def call(self, frame: dict) -> dict:
        """Sends a frame on the current connection and returns its answer.

        For publish, request, list, delete and transaction: {"type": "publish", "queue": "orders",
        "payload": "1"}. Raises Refused with the code of an error. Raises Closed without a connection,
        or if the connection ends before the answer: the outcome is then unknown.
        """
        if self._session is None:
            raise Closed(ABNORMAL, "there is no connection")
        return await self._session.call(frame)

    async def run(self) -> None:
        """Stays connected until cancelled; raises Closed if the node forbids reconnecting."""
        failures = 0
        while True:
            session = Session(self._by_topic, self._consumers)
            code = await self._connect(session)
            action = after_close(code)
            if action == DONT_RETRY:
                raise Closed(code, "the node forbids reconnecting")
            failures = 0 if session.uptime() >= STABLE else failures + 1
            # A node that drains for long must not be dialled in a loop.
            immediate = action == RETRY_ELSEWHERE and failures == 0
            await asyncio.sleep(0 if immediate else backoff(failures))

    async def _connect(self, session: Session) -> int:
        """Runs one connection until it ends; returns the close code."""
        try:
            socket = await WebSocket.connect(self._url, "sluice.v1.json")
        except Closed as closed:
            return closed.code
        try:
            await session.open(socket, self._token() if self._token else None)
            self._session = session
            while True:
                await session.on_frame(parse(await socket.receive()))
        except Closed as closed:
            return closed.code
        finally:
            self._session = None
            session.end()
            socket.abort()


class Session:
    """State of one connection."""

    def __init__(self, by_topic: dict[str, Subscription], consumers: list[Consumer]) -> None:
        self._by_topic = by_topic
        self._consumers = consumers
        self._consumer_by_ref: dict[int, Consumer] = {}
        self._by_ref: dict[int, Subscription] = {}
        self._refs = itertools.count(len(by_topic) + len(consumers) + 1)
        self._answers: dict[int, asyncio.Future[dict]] = {}
        self._socket: WebSocket | None = None
        self._overlap = 0
        self._hello_at: float | None = None

    def uptime(self) -> float:
        return 0 if self._hello_at is None else time.monotonic() - self._hello_at

    async def call(self, frame: dict) -> dict:
        ref = next(self._refs)
        answer: asyncio.Future[dict] = asyncio.get_running_loop().create_future()
        self._answers[ref] = answer
        try:
            await self._socket.send(json.dumps({**frame, "ref": ref}))
            return await answer
        finally:
            del self._answers[ref]

    def end(self) -> None:
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(Closed(ABNORMAL, "the connection has ended before the answer"))

    def _on_answer(self, frame: dict) -> None:
        answer = self._answers[frame["ref"]]
        if answer.done():
            return
        if frame["type"] == "error":
            answer.set_exception(Refused(frame))
        else:
            answer.set_result(frame)

    async def open(self, socket: WebSocket, token: str | None) -> None:
        self._socket = socket
        connect = {"type": "connect", "client": "python-example/1"}
        await socket.send(json.dumps({**connect, "token": token} if token else connect))
        # Subscribes need not wait for the hello.
        for ref, (topic, subscription) in enumerate(self._by_topic.items(), start=1):
            self._by_ref[ref] = subscription
            frame = {"type": "subscribe", "ref": ref, "topic": topic}
            start = subscription.continuity.subscribe()
            await socket.send(json.dumps(frame if start is None else {**frame, "from": start}))
        # Consumers do not survive a connection: unsettled messages are delivered again.
        for ref, consumer in enumerate(self._consumers, start=len(self._by_topic) + 1):
            self._consumer_by_ref[ref] = consumer
            frame = {"type": "consume", "ref": ref, **consumer.source, "credit": consumer.credit}
            await socket.send(json.dumps(frame))

    async def on_frame(self, frame: dict) -> None:
        kind = frame["type"]
        if kind == "hello":
            self._overlap = frame["limits"]["overlap"]
            self._hello_at = time.monotonic()
            self._socket.timeout = 2 * frame["pingInterval"] / 1000
        elif kind == "subscribed":
            subscription = self._by_ref[frame["ref"]]
            subscription.continuity.subscribed(frame, self._overlap)
            subscription.on_state("subscribed")
        elif kind == "message":
            continuity = self._continuity_of(frame.get("pattern", frame["topic"]))
            if continuity:
                continuity.message(frame)
        elif kind == "gap":
            continuity = self._continuity_of(frame["topic"])
            if continuity:
                continuity.gap(frame)
        elif kind == "caught-up":
            for subscription in self._by_topic.values():
                subscription.continuity.caught_up(frame["time"])
        elif frame.get("ref") in self._answers:
            self._on_answer(frame)
        elif kind == "delivery":
            await self._deliver(frame)
        elif kind in ("consuming", "released"):
            self._consumer_by_ref[frame["ref"]].on_state(frame.get("reason", kind))
        elif kind == "error" and frame.get("subscription") in self._consumer_by_ref:
            # The message was not settled; the broker delivers it again.
            self._consumer_by_ref[frame["subscription"]].on_state(frame["code"])
        elif kind == "error" and frame.get("ref") in self._consumer_by_ref:
            self._consumer_by_ref.pop(frame["ref"]).on_state(frame["code"])
        elif kind == "error" and frame.get("ref") in self._by_ref:
            # It is requested again on the next connection.
            self._by_ref.pop(frame["ref"]).on_state(frame["code"])
        elif kind == "draining":
            raise Closed(DRAINING, "the node is draining")
        # Other types, including stale and live, need no action; unknown types must be ignored.

    async def _deliver(self, frame: dict) -> None:
        """Processes a message of a queue and settles it."""
        consumer = self._consumer_by_ref.get(frame["ref"])
        if consumer is None:
            return
        try:
            settlement = consumer.on_delivery(frame)
        except Exception:
            settlement = "release"
            consumer.on_state("handler-failed")
        settle = {"type": settlement, "subscription": frame["ref"], "tag": frame["tag"]}
        await self._socket.send(json.dumps(settle))

    def _continuity_of(self, topic: str) -> Continuity | None:
        subscription = self._by_topic.get(topic)
        return subscription.continuity if subscription and subscription.continuity.is_answered else None
