"""WebSocket on streams without a network."""

from __future__ import annotations

import asyncio
import unittest
from typing import Any

from sluice._websocket import Closed, WebSocket

TEXT_A = b"\x81\x01a"


class Writer:
    """Writer and transport; an abort ends the reader, as with a socket."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self.transport = self

    def abort(self) -> None:
        self._reader.feed_eof()

    def close(self) -> None:
        pass


class WebSocketTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.reader = asyncio.StreamReader()
        writer: Any = Writer(self.reader)
        self.socket = WebSocket(self.reader, writer)
        self.addCleanup(self.socket.abort)

    async def test_should_end_after_a_read_without_data(self) -> None:
        self.socket.timeout = 0.01
        with self.assertRaisesRegex(Closed, "heartbeat timeout"):
            await self.socket.receive()

    async def test_should_not_end_while_the_application_is_slow(self) -> None:
        self.reader.feed_data(TEXT_A)
        self.socket.timeout = 0.01
        self.assertEqual(await self.socket.receive(), "a")
        end = asyncio.get_running_loop().time() + 0.05
        while asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.001)
        self.reader.feed_data(TEXT_A)
        self.assertEqual(await self.socket.receive(), "a")

    async def test_should_join_fragments(self) -> None:
        self.reader.feed_data(b"\x02\x01\xff\x80\x01\x00")
        self.assertEqual(await self.socket.receive(), b"\xff\x00")


if __name__ == "__main__":
    unittest.main()
