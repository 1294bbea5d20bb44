"""WebSocket server whose frames a test sends and receives one by one."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import struct
from typing import Any

from sluice._websocket import BINARY, CLOSE, GUID, TEXT

TIMEOUT = 20.0
HELLO = {
    "type": "hello",
    "node": "n",
    "time": 1000,
    "broker": "up",
    "pingInterval": 25_000,
    "limits": {"overlap": 16},
    "features": ["publish-id", "selectors"],
}


class Session:
    """Connection of a client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def handshake(self, is_binary: bool) -> None:
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines[1:] if line)
        key = headers["Sec-WebSocket-Key"] + GUID
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        #: Subprotocol that the client has offered.
        self.offered = headers["Sec-WebSocket-Protocol"]
        selected = f"Sec-WebSocket-Protocol: {self.offered}\r\n" if is_binary else ""
        self._writer.write(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"{selected}Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
        )

    def write(self, opcode: int, payload: bytes) -> None:
        size = len(payload)
        header = bytes([size]) if size < 126 else b"\x7e" + struct.pack("!H", size)
        self._writer.write(bytes([0x80 | opcode]) + header + payload)

    def send(self, /, **frame: Any) -> None:
        self.write(TEXT, json.dumps(frame).encode())

    def close(self, code: int) -> None:
        self.write(CLOSE, struct.pack("!H", code))

    def message(self, offset: int, number: int | None = None) -> None:
        """Sends the message with a number, which is also its identity, at an offset."""
        number = offset if number is None else number
        identity, payload = f"{number:016x}", str(number)
        self.send(type="message", topic="a", offset=offset, id=identity, time=1, payload=payload)

    async def receive(self, kind: str) -> dict[str, Any]:
        """Returns the next frame, which must have this type."""
        frame: dict[str, Any] = await asyncio.wait_for(self._next(), TIMEOUT)
        assert frame["type"] == kind, f"{kind} expected: {frame}"
        return frame

    async def _next(self) -> dict[str, Any]:
        opcode, size = await self._reader.readexactly(2)
        size &= 0x7F
        if size == 126:
            size = int.from_bytes(await self._reader.readexactly(2), "big")
        mask = await self._reader.readexactly(4)
        masked = await self._reader.readexactly(size)
        payload = bytes(byte ^ mask[i % 4] for i, byte in enumerate(masked))
        if opcode & 0x0F == CLOSE:
            return {"type": "closed", "code": int.from_bytes(payload[:2], "big")}
        if opcode & 0x0F == BINARY:
            return {"type": "binary", "payload": payload}
        frame: dict[str, Any] = json.loads(payload)
        return frame

    async def subscribed(self, **members: Any) -> dict[str, Any]:
        """Answers the next subscribe, and returns it."""
        subscribe = await self.receive("subscribe")
        self.answer(subscribe, **members)
        return subscribe

    async def forbid(self) -> None:
        """Refuses the next subscribe."""
        ref = (await self.receive("subscribe"))["ref"]
        self.send(type="error", ref=ref, code="forbidden", message="no")

    def answer(self, subscribe: dict[str, Any], **members: Any) -> None:
        ref, topic = subscribe["ref"], subscribe["topic"]
        self.send(**{"type": "subscribed", "ref": ref, "topic": topic, "epoch": "e", **members})


class Node:
    """Server; `async with` starts and stops it. It selects a subprotocol if it is binary."""

    def __init__(self, is_binary: bool = False) -> None:
        self._is_binary = is_binary
        self._sessions: asyncio.Queue[Session] = asyncio.Queue()
        self._writers: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> Node:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer in self._writers:
            writer.close()

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/ws"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        session = Session(reader, writer)
        try:
            await session.handshake(self._is_binary)
        except asyncio.IncompleteReadError:
            # The client was closed while it connected.
            return
        self._sessions.put_nowait(session)

    async def accept(self) -> Session:
        return await asyncio.wait_for(self._sessions.get(), TIMEOUT)

    async def welcome(self) -> Session:
        """Returns the next connection after its hello."""
        session = await self.accept()
        await session.receive("connect")
        session.send(**HELLO)
        return session
