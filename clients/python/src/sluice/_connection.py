"""One connection to a node: frames, and answers by their refs."""

from __future__ import annotations

import asyncio
import time
from ssl import SSLContext

from ._binary import SUBPROTOCOLS, BinaryDecoder, to_binary, to_text
from ._errors import SluiceError, lost
from ._frames import UNREADABLE, BadFrame, Frame, Members, parse
from ._websocket import Closed, WebSocket


class Connection:
    """WebSocket with its hello and the calls that wait for answers."""

    def __init__(self, url: str, socket: WebSocket) -> None:
        self.url = url
        self._socket = socket
        is_binary = socket.subprotocol == SUBPROTOCOLS["binary"]
        self._decoder = BinaryDecoder() if is_binary else None
        self._answers: dict[int, asyncio.Future[Frame]] = {}
        #: Refs of requests whose answers are of no interest.
        self._ignored: set[int] = set()
        #: Number of unanswered publishes and transactions.
        self.publishes = 0
        #: End of the connection, once it was read.
        self.closed: Closed | None = None
        #: Set when a call begins, which permits more frames to be queued.
        self.changed = asyncio.Event()
        self.is_ended = False
        #: Whether the node has no broker, as its last frame about that says.
        self.is_stale = False
        self._hello: Frame | None = None
        self._hello_at = 0.0

    @classmethod
    async def open(cls, url: str, encoding: str, context: SSLContext | None) -> Connection:
        return cls(url, await WebSocket.connect(url, SUBPROTOCOLS[encoding], context))

    @property
    def hello(self) -> Frame:
        if self._hello is None:
            raise BadFrame("hello must precede other frames")
        return self._hello

    @hello.setter
    def hello(self, hello: Frame) -> None:
        interval = hello.number("pingInterval")
        hello.number("time")
        hello.object("limits").number("overlap")
        self.is_stale = hello.optional_text("broker") == "down"
        self._hello, self._hello_at = hello, time.monotonic()
        self._socket.timeout = 2 * interval / 1000

    @property
    def has_hello(self) -> bool:
        return self._hello is not None

    @property
    def overlap(self) -> int:
        return self.hello.object("limits").number("overlap")

    def has_feature(self, name: str) -> bool:
        return name in self.hello.list("features")

    def uptime(self) -> float:
        """Returns the seconds since the hello; 0 before it."""
        return time.monotonic() - self._hello_at if self.has_hello else 0

    def node_time(self) -> float:
        """Returns the node's time in milliseconds, estimated from its hello."""
        return self.hello.number("time") + 1000 * self.uptime()

    @property
    def is_idle(self) -> bool:
        return not self._answers

    async def receive(self) -> Frame:
        """Returns the next frame; one of the kind UNREADABLE for a frame that cannot be parsed."""
        while True:
            message = await self._socket.receive()
            try:
                frame = self._decode(message)
            except BadFrame as error:
                if not self.has_hello:
                    raise
                return Frame({**error.members, "message": str(error)}, UNREADABLE)
            if frame:
                if frame.kind in ("stale", "live"):
                    self.is_stale = frame.kind == "stale"
                return frame

    def _decode(self, message: str | bytes) -> Frame | None:
        if isinstance(message, str):
            frame = parse(message)
            if self._decoder:
                self._decoder.observe(frame)
            return frame
        if not self._decoder:
            raise BadFrame("binary frame without sluice.v1.bin")
        return self._decoder.decode(message, self.node_time())

    async def send(self, frame: Members) -> None:
        """Sends a frame; raises `connection-lost` if the connection has ended."""
        try:
            if self.is_ended:
                raise lost()
            await self._socket.send(self._encode(frame))
        except Closed as closed:
            raise lost() from closed

    def post(self, frame: Members) -> None:
        """Sends a frame without waiting; a connection that has ended drops it."""
        if not self.is_ended:
            self._socket.write(self._encode(frame))

    def _encode(self, frame: Members) -> str | bytes:
        binary = to_binary(frame) if self._decoder else None
        return to_text(frame) if binary is None else binary

    def ignore(self, ref: int) -> None:
        """Drops the answer with a ref."""
        self._ignored.add(ref)

    async def call(self, ref: int, frame: Members) -> Frame:
        """Sends a frame and returns its answer."""
        answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._answers[ref] = answer
        self.changed.set()
        is_publish = frame["type"] in ("publish", "transaction")
        self.publishes += is_publish
        try:
            await self.send({**frame, "ref": ref})
            return await answer
        finally:
            self._answers.pop(ref, None)
            self.publishes -= is_publish

    def on_answer(self, frame: Frame) -> bool:
        """Passes an answer to its call; returns False if the frame is none."""
        ref = frame.ref if frame.has("ref") else None
        if ref in self._ignored:
            self._ignored.discard(ref)
            return True
        answer = self._answers.get(ref) if ref is not None else None
        if answer is None:
            return False
        if not answer.done():
            if frame.kind == "error":
                answer.set_exception(error_of(frame))
            else:
                answer.set_result(frame)
        return True

    def end(self) -> None:
        """Ends the calls without an answer, and the socket."""
        self.is_ended = True
        self.changed.set()
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(lost())
        self._socket.abort()

    async def close(self) -> None:
        """Closes the connection with 1000."""
        await self._socket.close()


def error_of(frame: Frame) -> SluiceError:
    """Returns the error of a frame."""
    return SluiceError(frame.text("code"), frame.text("message"))
