"""Runs docs/protocol/unreadable.json."""

from __future__ import annotations

import asyncio
import json
import unittest
from pathlib import Path
from typing import Any

from sluice import Client, SluiceError
from sluice._websocket import BINARY, TEXT
from tests.case import deliver
from tests.node import HELLO, Node

FILE = Path(__file__).parents[3] / "docs" / "protocol" / "unreadable.json"
TOPICS = ("stocks.7", "news.>")


class UnreadableTest(unittest.IsolatedAsyncioTestCase):
    async def test_isolates_each_frame(self) -> None:
        for case in json.loads(FILE.read_text())["cases"]:
            with self.subTest(case["name"]):
                await self._play(case)

    async def test_rejects_each_delivery(self) -> None:
        for case in json.loads(FILE.read_text())["deliveries"]:
            with self.subTest(case["name"]):
                await self._deliver(case)

    async def test_refuses_a_subscription_with_an_unreadable_answer(self) -> None:
        async with Node() as node, Client(node.url, min_backoff=0) as client:
            subscription = client.subscribe("stocks.7")
            session = await node.welcome()
            ref = (await session.receive("subscribe"))["ref"]
            session.send(type="subscribed", ref=ref, topic="stocks.7", epoch=7, offset=1)
            with self.assertRaises(SluiceError) as caught:
                await asyncio.wait_for(anext(subscription.events()), 20)
            self.assertEqual(("bad-answer", "open"), (caught.exception.code, client.state))

    async def _deliver(self, case: dict[str, Any]) -> None:
        errors: list[str] = []
        payloads: list[str] = []
        async with Node(is_binary=True) as node:
            client = Client(node.url, min_backoff=0, on_error=lambda error: errors.append(error.code))
            async with client:
                subscription = client.subscribe("stocks.7")
                client.queue("orders").consume(lambda delivery: payloads.append(delivery.text))
                session = await node.accept()
                await session.receive("connect")
                session.send(**HELLO)
                await session.subscribed(offset=41, channel=1)
                ref = (await session.receive("consume"))["ref"]
                session.send(type="consuming", ref=ref, queue="orders")
                if "text" in case:
                    session.write(TEXT, case["text"].replace("$ref", str(ref)).encode())
                else:
                    session.write(BINARY, bytes.fromhex(case["hex"].replace("$ref", f"{ref:08x}")))
                reject = await session.receive("reject")
                self.assertEqual((ref, 1), (reject["subscription"], reject["tag"]))
                deliver(session, ref, 2, "two")
                self.assertEqual(2, (await session.receive("ack"))["tag"])
                self.assertEqual(["two"], payloads)
                self.assertEqual(["bad-answer"], errors)
                self.assertEqual("open", client.state)
                message = {"type": "message", "offset": 42, "id": "00" * 7 + "42", "time": 1}
                session.send(**message, topic="stocks.7", payload="")
                event = await asyncio.wait_for(anext(subscription.events()), 20)
                self.assertEqual(42, getattr(event, "offset", None))

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
