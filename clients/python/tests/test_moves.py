"""Make-before-break moves between scripted nodes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import patch

import sluice

from .case import ClientCase, anext_of, deliver, wait, within
from .node import HELLO, TIMEOUT, Node, Session


class MoveTest(ClientCase):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.other = await self.enterAsync(Node())
        self.client_states: asyncio.Queue[str] = asyncio.Queue()
        self.client = await self.connect(on_state=self.client_states.put_nowait)
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

    async def assert_states(self, *states: str) -> None:
        for state in states:
            self.assertEqual(await within(self.client_states.get()), state)

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
        # The answer and the message of the withdrawn request are dropped.
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
        await self.assert_states("open", "draining", "open")

    async def test_should_stay_if_the_other_node_refuses_the_subscription(self) -> None:
        first, events = await self.live()
        first.send(type="redirect", url=self.other.url)
        second = await self.other.welcome()
        await second.forbid()
        await self.assert_closed(second)
        first.message(5)
        await self.assert_next(events, 5)

    async def test_should_stay_stale_if_a_redirect_fails(self) -> None:
        first, events = await self.live()
        first.send(type="stale")
        first.send(type="redirect", url=self.other.url)
        second = await self.other.welcome()
        await second.forbid()
        await self.assert_closed(second)
        first.message(5)
        await self.assert_next(events, 5)
        await self.assert_states("open", "stale", "draining", "stale")

    async def test_should_only_try_the_address_of_a_redirect_while_the_node_drains(self) -> None:
        third = await self.enterAsync(Node())
        first, events = await self.live()
        self.drain(first, url=self.other.url)
        second = await self.other.accept()
        await second.receive("connect")
        first.send(type="redirect", url=third.url)
        first.message(5)
        await self.assert_next(events, 5)
        second.send(**HELLO)
        await second.receive("subscribe")
        second.close(4100)
        last = await third.welcome()
        await last.forbid()
        # The client has to leave, whatever the other node refuses.
        await self.assert_closed(first)

    async def test_should_report_an_invalid_address(self) -> None:
        first, _ = await self.live()
        self.drain(first, url="http://127.0.0.1:1/ws")
        await self.node.welcome()
        self.assertEqual(self.errors, ["bad-answer"])

    async def test_should_ignore_addresses_without_redirects(self) -> None:
        node = await self.enterAsync(Node())
        await self.connect(node.url, redirect=False)
        first = await node.welcome()
        self.drain(first, url=self.other.url)
        await node.welcome()
        self.assertEqual(self.errors, [])

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
        self.assertEqual(self.client._retired, set())

    async def test_should_leave_the_node_at_its_deadline(self) -> None:
        first, _ = await self.live()
        self.drain(first, url="ws://127.0.0.1:1/ws")
        first.send(type="draining", deadline=1_001, url="ws://127.0.0.1:1/ws")
        self.assertEqual((await self.next_subscribe())["from"]["offset"], 4)

    async def next_subscribe(self) -> dict[str, Any]:
        # Attempts to move may reach the node before the deadline, which closes them at any point.
        while True:
            session = await self.node.accept()
            try:
                await session.receive("connect")
                session.send(**HELLO)
                subscribe: dict[str, Any] = await session.receive("subscribe")
                return subscribe
            except (AssertionError, OSError, asyncio.IncompleteReadError):
                pass

    @patch("sluice._move.MAX_PAUSE", TIMEOUT)
    async def test_should_send_publishes_in_their_order(self) -> None:
        first = await self.node.welcome()
        earlier = asyncio.ensure_future(self.client.publish("a", "1"))
        publish = await first.receive("publish")
        self.drain(first, url=self.other.url)
        second = await self.other.welcome()
        while not self.client.calls.is_blocked:
            await asyncio.sleep(0.001)
        later = asyncio.ensure_future(self.client.publish("a", "2"))
        first.send(type="published", ref=publish["ref"])
        await within(wait(earlier))
        moved = await second.receive("publish")
        self.assertEqual(moved["payload"], "2")
        second.send(type="published", ref=moved["ref"])
        await within(wait(later))
        await self.assert_closed(first)

    async def test_should_pause_publishes_for_a_limited_time(self) -> None:
        first = await self.node.welcome()
        earlier = asyncio.ensure_future(self.client.publish("a", "1"))
        publish = await first.receive("publish")
        self.drain(first, url=self.other.url)
        await self.other.welcome()
        while not self.client.calls.is_blocked:
            await asyncio.sleep(0.001)
        later = asyncio.ensure_future(self.client.publish("a", "2"))
        resumed = await first.receive("publish")
        self.assertEqual(resumed["payload"], "2")
        for one in (publish, resumed):
            first.send(type="published", ref=one["ref"])
        await within(wait(earlier))
        await within(wait(later))
        await self.assert_closed(first)

    async def test_should_wait_if_the_connection_ends_at_the_end_of_a_pause(self) -> None:
        first = await self.node.welcome()
        while not (connection := self.client.connection):
            await asyncio.sleep(0.001)
        self.client.calls.block()
        publishing = asyncio.ensure_future(self.client.publish("a", "1"))
        for _ in range(5):
            await asyncio.sleep(0)
        self.client.calls.unblock()
        self.client.on_end(connection)
        for _ in range(5):
            await asyncio.sleep(0)
        self.assertFalse(publishing.done())
        self.client.on_open(connection)
        publish = await first.receive("publish")
        first.send(type="published", ref=publish["ref"])
        await within(wait(publishing))

    async def test_should_not_request_a_closing_consumer_at_the_other_node(self) -> None:
        delivered, released = asyncio.Event(), asyncio.Event()

        async def handle(_: sluice.Delivery) -> None:
            delivered.set()
            await released.wait()

        consumer = self.client.queue("q").consume(handle)
        first = await self.node.welcome()
        deliver(first, (await first.receive("consume"))["ref"], 1, "1")
        await within(delivered.wait())
        closing = asyncio.ensure_future(consumer.close())
        await asyncio.sleep(0)
        self.drain(first, url=self.other.url)
        second = await self.other.welcome()
        while self.client.state != "open":
            await asyncio.sleep(0.001)
        publishing = asyncio.ensure_future(self.client.publish("a", "1"))
        publish = await second.receive("publish")
        second.send(type="published", ref=publish["ref"])
        await within(wait(publishing))
        released.set()
        for kind in ("credit", "credit", "ack"):
            frame = await first.receive(kind)
        first.send(type="settled", ref=frame["ref"])
        await within(wait(closing))

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

    async def test_should_use_json_on_request(self) -> None:
        client = await self.connect(encoding="json")
        session = await self.node.welcome()
        self.assertEqual(session.offered, "sluice.v1.json")
        publishing = asyncio.ensure_future(client.publish("b", b"\0\xff"))
        self.assertEqual((await session.receive("publish"))["encoding"], "base64")
        publishing.cancel()
