"""Make-before-break moves between scripted nodes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import sluice

from .case import ClientCase, anext_of, deliver, wait, within
from .node import HELLO, Node, Session


class MoveTest(ClientCase):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.other = await self.enterAsync(Node())
        self.client = await self.connect()
        self.states: list[str] = []

    async def live(self) -> tuple[Session, AsyncIterator[sluice.Message | sluice.Gap]]:
        subscription = self.client.subscribe("a", on_state=self.states.append)
        session = await self.node.welcome()
        await session.subscribed(offset=4, time=7)
        return session, aiter(subscription.events())

    def drain(self, session: Session, **members: Any) -> None:
        session.send(type="draining", deadline=9_000_000, **members)

    async def assert_next(self, events: AsyncIterator[Any], *numbers: int) -> None:
        for number in numbers:
            self.assertEqual((await within(anext_of(events))).text, str(number))

    async def assert_closed(self, session: Session) -> None:
        self.assertEqual((await session.receive("closed"))["code"], 1000)

    async def test_should_continue_here_until_the_other_node_has_answered(self) -> None:
        first, events = await self.live()
        first.message(5)
        await self.assert_next(events, 5)
        self.drain(first, url=self.other.url)
        second = await self.other.accept()
        self.assertTrue((await second.receive("connect"))["redirected"])
        second.send(**HELLO)
        subscribe = await second.receive("subscribe")
        self.assertEqual(subscribe["from"]["offset"], 5)
        first.message(6)
        await self.assert_next(events, 6)
        second.answer(subscribe, epoch="f", offset=9, replay=2, recovered=True)
        second.message(8, 6)
        second.message(9, 7)
        await self.assert_closed(first)
        # Without the repeated message and without a state.
        await self.assert_next(events, 7)
        self.assertEqual((self.states, self.client.state), (["live"], "open"))

    async def test_should_repeat_the_subscription_after_a_gap(self) -> None:
        first, events = await self.live()
        first.send(type="redirect", url=self.other.url)
        second = await self.other.welcome()
        early = await second.receive("subscribe")
        first.send(type="gap", topic="a", reason="overload", offset=9, time=8)
        self.assertEqual(await within(anext_of(events)), sluice.Gap("a", "overload"))
        withdrawal = await second.receive("unsubscribe")
        again = await second.receive("subscribe")
        self.assertEqual(again["from"]["offset"], 9)
        # What belongs to the withdrawn request is dropped.
        second.answer(early, epoch="f", offset=1, replay=1, recovered=True)
        second.message(1, 1)
        second.send(type="error", ref=withdrawal["ref"], code="not-subscribed", message="no")
        second.answer(again, epoch="f", offset=2, recovered=True)
        second.message(3, 10)
        await self.assert_closed(first)
        await self.assert_next(events, 10)
        self.assertEqual(self.errors, [])

    async def test_should_stay_if_a_redirect_leads_to_the_same_node(self) -> None:
        first, events = await self.live()
        first.send(type="redirect", url=self.other.url)
        second = await self.other.welcome()
        await second.subscribed(offset=4, recovered=True)
        await self.assert_closed(second)
        first.message(5)
        await self.assert_next(events, 5)
        self.assertEqual(self.client.state, "open")

    async def test_should_stay_if_the_other_node_refuses_the_subscription(self) -> None:
        first, events = await self.live()
        first.send(type="redirect", url=self.other.url)
        second = await self.other.welcome()
        ref = (await second.receive("subscribe"))["ref"]
        second.send(type="error", ref=ref, code="forbidden", message="no")
        await self.assert_closed(second)
        first.message(5)
        await self.assert_next(events, 5)

    async def test_should_try_again_while_the_node_drains(self) -> None:
        first, events = await self.live()
        self.drain(first, url="ws://127.0.0.1:1/ws")
        second = await self.node.welcome()
        await second.subscribed(epoch="f", offset=4, recovered=True)
        await self.assert_closed(first)
        second.message(5)
        await self.assert_next(events, 5)

    async def test_should_continue_there_if_the_connection_ends_during_the_move(self) -> None:
        first, events = await self.live()
        self.drain(first, url=self.other.url)
        second = await self.other.welcome()
        subscribe = await second.receive("subscribe")
        first.message(5)
        first.close(4100)
        await self.assert_next(events, 5)
        second.answer(subscribe, epoch="f", offset=6, replay=2, recovered=True)
        second.message(5)
        second.message(6)
        await self.assert_next(events, 6)

    async def test_should_leave_the_node_at_its_deadline(self) -> None:
        first, _ = await self.live()
        self.drain(first, url="ws://127.0.0.1:1/ws")
        first.send(type="draining", deadline=1_001, url="ws://127.0.0.1:1/ws")
        session = await self.node.welcome()
        subscribe = await session.receive("subscribe")
        self.assertEqual(subscribe["from"]["offset"], 4)

    async def test_should_send_publishes_in_their_order(self) -> None:
        first = await self.node.welcome()
        earlier = asyncio.ensure_future(self.client.publish("a", "1"))
        publish = await first.receive("publish")
        self.drain(first, url=self.other.url)
        second = await self.other.welcome()
        while self.client._opened.is_set():
            await asyncio.sleep(0.001)
        later = asyncio.ensure_future(self.client.publish("a", "2"))
        first.send(type="published", ref=publish["ref"])
        await within(wait(earlier))
        moved = await second.receive("publish")
        self.assertEqual(moved["payload"], "2")
        second.send(type="published", ref=moved["ref"])
        await within(wait(later))
        await self.assert_closed(first)

    async def test_should_settle_messages_where_they_were_delivered(self) -> None:
        deliveries: asyncio.Queue[sluice.Delivery] = asyncio.Queue()
        self.client.queue("q").consume(deliveries.put, credit=5, ack="manual")
        first = await self.node.welcome()
        ref = (await first.receive("consume"))["ref"]
        deliver(first, ref, 1, "1")
        early = await within(deliveries.get())
        self.drain(first, url=self.other.url)
        second = await self.other.welcome()
        again = await second.receive("consume")
        self.assertEqual(again["credit"], 5)
        credit = await first.receive("credit")
        self.assertEqual((credit["subscription"], credit["credit"]), (ref, 0))
        deliver(second, again["ref"], 1, "2")
        late = await within(deliveries.get())
        self.assertEqual(late.text, "2")
        acking = asyncio.ensure_future(early.ack())
        ack = await first.receive("ack")
        self.assertEqual(ack["subscription"], ref)
        first.send(type="settled", ref=ack["ref"], subscription=ref)
        await within(wait(acking))
        await self.assert_closed(first)
        acking = asyncio.ensure_future(late.ack())
        self.assertEqual((await second.receive("ack"))["subscription"], again["ref"])
        acking.cancel()

    async def test_should_follow_one_redirect_of_the_other_node(self) -> None:
        third = await self.enterAsync(Node())
        first, _ = await self.live()
        self.drain(first)
        second = await self.node.accept()
        await second.receive("connect")
        second.send(type="redirect", url=third.url)
        last = await third.accept()
        self.assertTrue((await last.receive("connect"))["redirected"])


class EncodingTest(ClientCase):
    async def asyncSetUp(self) -> None:
        self.node = await self.enterAsync(Node(is_binary=True))
        self.errors: list[str] = []

    async def test_should_use_the_binary_encoding(self) -> None:
        client = await self.connect()
        events = aiter(client.subscribe("a"))
        session = await self.node.welcome()
        self.assertEqual(session.offered, "sluice.v1.bin")
        await session.subscribed(offset=4, time=7, channel=3)
        header = bytes.fromhex("11000003" "00000005" "00000000000000ff" "000003e9")
        session.write(0x2, header + b"\0\xff")
        message = await within(anext_of(events))
        self.assertEqual((message.payload, message.offset, message.time), (b"\0\xff", 5, 1_001))
        publishing = asyncio.ensure_future(client.publish("b", b"\0\xff"))
        binary = (await session.receive("binary"))["payload"]
        self.assertEqual(binary[:1] + binary[5:], b"\x12\0\1b\0\xff")
        session.send(type="published", ref=int.from_bytes(binary[1:5], "big"))
        await within(wait(publishing))

    async def test_should_end_the_connection_after_an_invalid_binary_frame(self) -> None:
        await self.connect()
        (await self.node.welcome()).write(0x2, b"\1")
        await self.node.welcome()

    async def test_should_use_json_on_request(self) -> None:
        client = await self.connect(encoding="json")
        session = await self.node.welcome()
        self.assertEqual(session.offered, "sluice.v1.json")
        publishing = asyncio.ensure_future(client.publish("b", b"\0\xff"))
        self.assertEqual((await session.receive("publish"))["encoding"], "base64")
        publishing.cancel()
