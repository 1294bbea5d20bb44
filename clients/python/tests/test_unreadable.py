"""Runs docs/protocol/unreadable.json."""

from __future__ import annotations

import asyncio
import json
import unittest
from pathlib import Path
from typing import Any

from sluice import Client
from sluice._websocket import BINARY, TEXT
from tests.node import HELLO, Node

FILE = Path(__file__).parents[3] / "docs" / "protocol" / "unreadable.json"
TOPICS = ("stocks.7", "news.>")


class UnreadableTest(unittest.IsolatedAsyncioTestCase):
    async def test_isolates_each_frame(self) -> None:
        for case in json.loads(FILE.read_text())["cases"]:
            with self.subTest(case["name"]):
                await self._play(case)

    async def _play(self, case: dict[str, Any]) -> None:
        errors: list[str] = []
        async with Node(is_binary=True) as node:
            client = Client(node.url, min_backoff=0, on_error=lambda error: errors.append(error.code))
            async with client:
                session = await node.accept()
                await session.receive("connect")
                session.send(**HELLO)
                subscriptions = {topic: client.subscribe(topic) for topic in TOPICS}
                for channel in ({"channel": 1}, {}):
                    await session.subscribed(offset=41, **channel)
                session.send(type="channel", channel=2, pattern="news.>", topic="news.eu")
                if "text" in case:
                    session.write(TEXT, case["text"].encode())
                else:
                    session.write(BINARY, bytes.fromhex(case["hex"]))
                message = {"type": "message", "offset": 43, "id": "00" * 7 + "43", "time": 1}
                session.send(**message, topic="stocks.7", payload="")
                session.send(**message, topic="news.eu", pattern="news.>", payload="")
                for topic, subscription in subscriptions.items():
                    events = subscription.events()
                    if case["gap"] in (topic, None):
                        gap = await asyncio.wait_for(anext(events), 20)
                        self.assertEqual("unreadable", getattr(gap, "reason", None))
                        position = subscription.position or {}
                        self.assertEqual(42 if case["gap"] else 41, position["offset"])
                    event = await asyncio.wait_for(anext(events), 20)
                    self.assertEqual(43, getattr(event, "offset", None))
                self.assertEqual(["bad-answer"], errors)
                self.assertEqual("open", client.state)
