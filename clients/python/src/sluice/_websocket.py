"""Subset of RFC 6455 for a client of Sluice, over asyncio streams: messages, ping and close.

Without extensions, so nothing is compressed.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import os
import ssl
import struct
from collections.abc import Awaitable
from urllib.parse import SplitResult, urlsplit

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
MAX_BYTES = 16 * 1024 * 1024
NORMAL, ABNORMAL = 1000, 1006
#: Maximum wait in seconds that a node, or a proxy before it, can request.
MAX_RETRY_AFTER = 60
MAX_DIGITS = 9
#: Seconds until a close frame is given up.
CLOSE_TIMEOUT = 1.0


def retry_after(header: str) -> int:
    """Returns the seconds of a header Retry-After; 0 unless it is a whole number."""
    if not (header.isascii() and header.isdecimal()):
        return 0
    return min(int(header), MAX_RETRY_AFTER) if len(header) <= MAX_DIGITS else MAX_RETRY_AFTER


class Closed(Exception):
    """Raised when the connection has ended; `code` is the close code, 1006 if there was none.

    `retry_after` is the wait in seconds that the node requests.
    """

    def __init__(self, code: int, reason: str, retry_after: float = 0) -> None:
        super().__init__(f"{code} {reason}")
        self.code = code
        self.retry_after = retry_after


class WebSocket:
    """WebSocket connection. `receive` and `send` raise Closed after its end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        #: A stream permits one waiting writer.
        self._draining = asyncio.Lock()
        #: Subprotocol that the node has selected; empty without one.
        self.subprotocol = ""
        self._loop = asyncio.get_running_loop()
        self._timeout = 60.0
        #: Start of the read that waits for data; None while the application processes a message.
        self._waiting_since: float | None = None
        self._is_timed_out = False
        self._watch = self._loop.call_later(self._timeout, self._check)

    @property
    def timeout(self) -> float:
        """Seconds of a read after which the connection counts as dead; pings are read, too."""
        return self._timeout

    @timeout.setter
    def timeout(self, seconds: float) -> None:
        self._timeout = seconds
        self._check()

    def _check(self) -> None:
        """Ends the connection after its timeout; a timer for each read would cost more."""
        self._watch.cancel()
        now = self._loop.time()
        left = (now if self._waiting_since is None else self._waiting_since) + self._timeout - now
        if left > 0:
            self._watch = self._loop.call_later(left, self._check)
        else:
            self._is_timed_out = True
            self._writer.transport.abort()

    @classmethod
    async def connect(
        cls, url: str, subprotocol: str, context: ssl.SSLContext | None = None
    ) -> WebSocket:
        parts = urlsplit(url)
        secure = parts.scheme == "wss"
        port = parts.port or (443 if secure else 80)
        if not secure:
            context = None
        elif context is None:
            context = ssl.create_default_context()
        try:
            reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=context)
        except (OSError, UnicodeError) as error:  # UnicodeError: not the name of a host
            raise Closed(ABNORMAL, str(error)) from error
        socket = cls(reader, writer)
        try:
            await socket._handshake(parts, subprotocol)
        except BaseException:
            socket.abort()
            raise
        return socket

    async def _handshake(self, parts: SplitResult, subprotocol: str) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        request = (
            f"GET {path} HTTP/1.1\r\nHost: {parts.netloc.rpartition('@')[2]}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Protocol: {subprotocol}\r\n\r\n"
        )
        self._writer.write(request.encode())
        status, *lines = (await self._until(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = (line.partition(":") for line in lines)
        headers = {name.lower(): value.strip() for name, _, value in fields}
        accepted = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        if status.split()[1:2] != ["101"] or headers.get("sec-websocket-accept") != accepted:
            wait = retry_after(headers.get("retry-after", ""))
            raise Closed(ABNORMAL, f"handshake failed: {status!r}", wait)
        self.subprotocol = headers.get("sec-websocket-protocol", "")

    async def receive(self) -> str | bytes:
        """Returns the next text or binary message; answers pings."""
        whole = bytearray()
        kind = TEXT
        while True:
            last, opcode, payload = await self._frame()
            if opcode == PING:
                await self._send(PONG, payload)
            elif opcode == CLOSE:
                await self._send(CLOSE, payload[:2])
                code = int.from_bytes(payload[:2], "big") if len(payload) >= 2 else 1005
                raise Closed(code, payload[2:].decode(errors="replace"))
            elif opcode in (TEXT, BINARY, CONTINUATION):
                kind = opcode or kind
                whole += payload
                if last:
                    return bytes(whole) if kind == BINARY else self._decode(whole)
                if len(whole) > MAX_BYTES:
                    raise Closed(ABNORMAL, f"message exceeds the limit ({MAX_BYTES} bytes)")
            elif opcode != PONG:
                raise Closed(ABNORMAL, f"unexpected frame with opcode {opcode}")

    def _decode(self, text: bytearray) -> str:
        try:
            return text.decode()
        except UnicodeDecodeError as error:
            raise Closed(ABNORMAL, f"text is not UTF-8: {error}") from error

    async def _frame(self) -> tuple[bool, int, bytes]:
        first, second = await self._exactly(2)
        length = second & 0x7F
        if length == 126:
            length = int.from_bytes(await self._exactly(2), "big")
        elif length == 127:
            length = int.from_bytes(await self._exactly(8), "big")
        if length > MAX_BYTES:
            raise Closed(ABNORMAL, f"frame of {length} bytes exceeds the limit ({MAX_BYTES} bytes)")
        return bool(first & 0x80), first & 0x0F, await self._exactly(length)

    async def _exactly(self, count: int) -> bytes:
        return await self._read(self._reader.readexactly(count))

    async def _until(self, end: bytes) -> bytes:
        return await self._read(self._reader.readuntil(end))

    async def _read(self, reading: Awaitable[bytes]) -> bytes:
        self._waiting_since = self._loop.time()
        try:
            return await reading
        except (OSError, EOFError, asyncio.LimitOverrunError) as error:
            reason = "heartbeat timeout" if self._is_timed_out else str(error)
            raise Closed(ABNORMAL, reason) from error
        finally:
            self._waiting_since = None

    async def send(self, message: str | bytes) -> None:
        if isinstance(message, str):
            await self._send(TEXT, message.encode())
        else:
            await self._send(BINARY, message)

    def write(self, message: str | bytes) -> None:
        """Sends a message without waiting for room in the buffer."""
        if isinstance(message, str):
            self._write(TEXT, message.encode())
        else:
            self._write(BINARY, message)

    async def _send(self, opcode: int, payload: bytes) -> None:
        try:
            self._write(opcode, payload)
            async with self._draining:
                await self._writer.drain()
        except OSError as error:
            raise Closed(ABNORMAL, str(error)) from error

    def _write(self, opcode: int, payload: bytes) -> None:
        length = len(payload)
        if length < 126:
            header = struct.pack("!BB", 0x80 | opcode, 0x80 | length)
        elif length < 1 << 16:
            header = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, length)
        else:
            header = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, length)
        mask = os.urandom(4)
        self._writer.write(header + mask + mask_bytes(payload, mask))

    async def close(self, code: int = NORMAL) -> None:
        """Sends a close frame and ends the connection; never fails."""
        try:
            await asyncio.wait_for(self._send(CLOSE, struct.pack("!H", code)), CLOSE_TIMEOUT)
        except (Closed, asyncio.TimeoutError):
            pass
        self.abort()

    def abort(self) -> None:
        """Closes the connection without a close frame; does nothing if it has ended."""
        self._watch.cancel()
        self._writer.close()


def mask_bytes(payload: bytes, mask: bytes) -> bytes:
    """Returns the masked payload; one operation on long integers is faster than a loop."""
    repeated = (mask * (len(payload) // 4 + 1))[: len(payload)]
    masked = int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")
    return masked.to_bytes(len(payload), "big")
