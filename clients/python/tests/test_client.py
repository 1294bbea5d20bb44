"""Client with scripted nodes; PythonClientIT runs it with real ones."""

from __future__ import annotations

import asyncio
import base64
import json
import unittest
from typing import Any

import sluice

from sluice._renewal import wait_until
from sluice._websocket import Closed, retry_after

from .case import ClientCase, anext_of, answer, deliver, wait, within
from .node import HELLO, Node


def jwt(subject: str) -> str:
    claims = base64.urlsafe_b64encode(json.dumps({"sub": subject}).encode()).decode()
    return f"e30.{claims.rstrip('=')}.e30"


class ClientTest(ClientCase):
    async def test_should_resume_by_position_and_drop_duplicates(self) -> None:
        client = await self.connect()
        subscription = client.subscribe("a")
        messages = aiter(subscription)
        first = await self.node.welcome()
        self.assertNotIn("from", await first.subscribed(offset=4, time=7))
        first.message(5)
        self.assertEqual((await within(anext_of(messages))).text, "5")
        position = {"epoch": "e", "offset": 5, "ids": ["0000000000000005"], "since": 7}
        self.assertEqual(subscription.position, position)
        first.close(4000)
        second = await self.node.welcome()
        subscribe = await second.subscribed(offset=6, replay=2, recovered=True)
        self.assertEqual(subscribe["from"], position)
        second.message(5)
        second.message(6)
        self.assertEqual((await within(anext_of(messages))).text, "6")

    async def test_should_keep_the_position_of_the_iterated_message(self) -> None:
        client = await self.connect()
        states: list[str] = []
        subscription = client.subscribe("a", on_state=states.append)
        session = await self.node.welcome()
        await session.subscribed(offset=0, time=7)
        for offset in (1, 2):
            session.message(offset)
        events = subscription.events()
        await within(anext_of(events))
        while not subscription._queue:
            await asyncio.sleep(0)
        assert subscription.position
        self.assertEqual(subscription.position["offset"], 1)
        self.assertEqual(states, ["live"])

    async def test_should_iterate_gaps_and_raise_refusals(self) -> None:
        client = await self.connect()
        events = client.subscribe("a", start="snapshot").events()
        session = await self.node.welcome()
        subscribe = await session.subscribed(offset=4, time=7)
        self.assertEqual(subscribe["from"], "snapshot")
        session.send(type="gap", topic="a", reason="overload", offset=9, time=8)
        self.assertEqual(await within(anext_of(events)), sluice.Gap("a", "overload"))
        session.send(type="error", ref=subscribe["ref"], code="forbidden", message="no")
        await self.assert_fails("forbidden", anext_of(events))

    async def test_should_reconnect_after_two_ping_intervals_without_a_frame(self) -> None:
        await self.connect()
        session = await self.node.accept()
        await session.receive("connect")
        session.send(**{**HELLO, "pingInterval": 25})
        await self.node.welcome()

    async def test_should_try_the_next_address_after_a_failure(self) -> None:
        await self.connect("ws://127.0.0.1:1/ws", self.node.url)
        await self.node.welcome()

    async def test_should_follow_a_redirect_instead_of_hello(self) -> None:
        other = await self.enterAsync(Node())
        await self.connect()
        first = await self.node.accept()
        self.assertNotIn("redirected", await first.receive("connect"))
        first.send(type="redirect", url=other.url)
        connect = await (await other.accept()).receive("connect")
        self.assertTrue(connect["redirected"])

    async def test_should_reject_a_redirect_to_an_invalid_url(self) -> None:
        await self.connect()
        for url in ("ws://127.0.0.1:99999/ws", "ws://127.0.0.1:port/ws", "ws://[::1/ws"):
            (await self.node.accept()).send(type="redirect", url=url)
        await self.node.welcome()
        self.assertEqual(self.errors, ["bad-answer"] * 3)

    async def test_should_retry_an_address_whose_name_cannot_be_resolved(self) -> None:
        await self.connect("ws://a..b/ws", self.node.url)
        await self.node.welcome()
        self.assertEqual(self.errors, [])

    async def test_should_repeat_only_publishes_with_an_id(self) -> None:
        client = await self.connect()
        once = asyncio.ensure_future(client.publish("a", "1"))
        options = sluice.PublishOptions(id="x", properties={"p": 1})
        again = asyncio.ensure_future(client.publish("a", "2", options))
        first = await self.node.welcome()
        await first.receive("publish")
        await first.receive("publish")
        first.close(1011)
        await self.assert_fails("connection-lost", wait(once))
        second = await self.node.welcome()
        publish = await second.receive("publish")
        self.assertEqual((publish["payload"], publish["properties"]), ("2", {"p": 1}))
        second.send(type="published", ref=publish["ref"])
        await within(wait(again))

    async def test_should_limit_unanswered_publishes_and_their_time(self) -> None:
        client = await self.connect("ws://127.0.0.1:1/ws", max_publishes=1, publish_timeout=0.05)
        first = asyncio.ensure_future(client.publish("a", "1"))
        await asyncio.sleep(0)
        await self.assert_fails("publish-queue-full", client.publish("a", "2"))
        await self.assert_fails("publish-timeout", wait(first))
        self.assertRegex(str(first.exception()), "it was not sent")

    async def test_should_tell_that_an_unanswered_publish_had_been_sent(self) -> None:
        client = await self.connect(publish_timeout=0.05)
        await self.node.welcome()
        while client.state != "open":
            await asyncio.sleep(0.001)
        publishing = asyncio.ensure_future(client.publish("a", "1"))
        await self.assert_fails("publish-timeout", wait(publishing))
        self.assertRegex(str(publishing.exception()), "it had been sent")

    async def test_should_read_answers_while_the_loop_waits_with_a_full_queue(self) -> None:
        client = await self.connect(max_queued=2)
        session = await self.node.welcome()
        subscription = client.subscribe("a")
        await session.subscribed(offset=0, time=7)
        for offset in range(1, 21):
            session.message(offset)
        answering = asyncio.ensure_future(answer(session, 20))
        received = []
        async for message in subscription:
            await within(client.publish("b", message.payload))
            received.append(message.text)
            if len(received) == 20:
                break
        await answering
        self.assertEqual(received, [str(offset) for offset in range(1, 21)])

    async def test_should_stop_reading_while_the_loop_is_slow(self) -> None:
        client = await self.connect(max_queued=2)
        subscription = client.subscribe("a")
        session = await self.node.welcome()
        await session.subscribed(offset=0, time=7)
        for offset in range(1, 11):
            session.message(offset)
        session.send(type="stale")
        while len(subscription._queue) < 3:
            await asyncio.sleep(0.001)
        # The state, and two messages, of which the second waits for room.
        self.assertEqual((len(subscription._queue), client.state), (3, "open"))
        messages = aiter(subscription)
        for offset in range(1, 11):
            self.assertEqual((await within(anext_of(messages))).text, str(offset))

    async def test_should_reconnect_while_the_loop_is_slow(self) -> None:
        client = await self.connect(max_queued=1)
        subscription = client.subscribe("a")
        session = await self.node.welcome()
        await session.subscribed(offset=0, time=7)
        session.message(1)
        while len(subscription._queue) < 2:  # the state and the message
            await asyncio.sleep(0)
        assert client.connection
        client.connection.end()
        second = await self.node.welcome()
        self.assertEqual((await second.receive("subscribe"))["from"]["offset"], 1)

    async def test_should_request_again_after_a_temporary_refusal(self) -> None:
        client = await self.connect()
        client.subscribe("a")
        session = await self.node.welcome()
        ref = (await session.receive("subscribe"))["ref"]
        session.send(type="error", ref=ref, code="rate-limited", message="wait")
        self.assertNotEqual((await session.receive("subscribe"))["ref"], ref)

    async def test_should_use_one_new_token_after_expiry_and_then_stop(self) -> None:
        tokens = iter(["t1", "t2"])
        client = await self.connect(token=lambda: next(tokens))
        publishing = asyncio.ensure_future(client.publish("a", "1"))
        messages = aiter(client.subscribe("a"))
        for token, code in (("t1", 4201), ("t2", 4200)):
            session = await self.node.accept()
            self.assertEqual((await session.receive("connect"))["token"], token)
            session.close(code)
        await self.assert_fails("closed", wait(publishing))
        await self.assert_fails("refused", anext_of(messages))
        self.assertEqual((self.errors, client.state), (["refused"], "closed"))
        await self.assert_fails("closed", client.publish("a", "2"))

    async def test_should_end_with_a_token_of_another_subject(self) -> None:
        tokens = iter([jwt("ann"), jwt("bob")])
        client = await self.connect(token=lambda: next(tokens))
        messages = aiter(client.subscribe("a"))
        session = await self.node.accept()
        await session.receive("connect")
        session.send(**HELLO, expires=1, subject="ann")
        await session.receive("subscribe")
        publishing = asyncio.ensure_future(client.publish("a", "1"))
        await session.receive("publish")
        await self.assert_fails("identity-changed", anext_of(messages))
        with self.assertRaises(sluice.SluiceError):
            await within(wait(publishing))
        self.assertEqual((self.errors, client.state), (["identity-changed"], "closed"))
        await self.assert_fails("closed", client.publish("a", "2"))

    async def test_should_end_with_a_hello_of_another_subject(self) -> None:
        client = await self.connect(token=lambda: "opaque")
        session = await self.node.accept()
        await session.receive("connect")
        session.send(**HELLO, subject="ann")
        messages = aiter(client.subscribe("a"))
        await session.receive("subscribe")
        session.close(4000)
        session = await self.node.accept()
        await session.receive("connect")
        publishing = asyncio.ensure_future(client.publish("a", "1"))
        session.send(**HELLO, subject="bob")
        await self.assert_fails("identity-changed", anext_of(messages))
        await self.assert_fails("closed", wait(publishing))
        self.assertEqual(self.errors, ["identity-changed"])

    async def test_should_end_at_logout(self) -> None:
        def token() -> str:
            raise sluice.LoggedOut()

        client = await self.connect(token=token)
        await self.assert_fails("logged-out", anext_of(aiter(client.subscribe("a"))))
        self.assertEqual((self.errors, client.state), (["logged-out"], "closed"))

    async def test_should_refresh_the_token_before_it_expires(self) -> None:
        async def token() -> str:
            return "t"

        await self.connect(token=token)
        session = await self.node.accept()
        await session.receive("connect")
        session.send(**HELLO, expires=1_100)
        self.assertEqual((await session.receive("refresh"))["token"], "t")

    async def test_should_request_again_after_a_refresh_of_the_credential(self) -> None:
        client = await self.connect(token="t")

        async def handler(delivery: sluice.Delivery) -> None:
            pass

        client.queue("q").consume(handler)
        session = await self.node.accept()
        await session.receive("connect")
        session.send(**HELLO, expires=1_100)
        ref = (await session.receive("consume"))["ref"]
        session.send(type="error", ref=ref, code="forbidden", message="no")
        ref = (await session.receive("refresh"))["ref"]
        session.send(type="refreshed", ref=ref, expires=1 << 80)
        await session.receive("consume")

    async def test_should_plan_a_renewal_early_and_at_a_random_time(self) -> None:
        for expires in (1 << 32, (1 << 53) + 1, 1 << 63, 10**400):
            self.assertGreater(wait_until(expires, 1_000), 3_000_000)
        for expires in (0, 1_000, -(1 << 70)):
            waits = {wait_until(expires, 1_000) for _ in range(50)}
            self.assertGreater(len(waits), 1)
            self.assertTrue(all(1 <= wait <= 2 for wait in waits))

    async def test_should_reconnect_unless_the_close_code_is_final(self) -> None:
        odd = (999, 2000, 3000, 3999, 4099, 4100, 4101, 4199, 4299, 4999, 65_535)
        for code in (*range(1000, 1016), *range(4000, 4007), *range(4200, 4207), *odd):
            with self.subTest(code):
                closed = asyncio.Event()
                client = sluice.connect(
                    self.node.url,
                    min_backoff=0.001,
                    on_state=lambda state: closed.set() if state == "closed" else None,
                )
                async with client:
                    session = await self.node.welcome()
                    session.close(code)
                    if code in (4200, 4201, 4203, 4204, 4205):
                        await within(closed.wait())
                    else:
                        await self.node.accept()
                        self.assertNotEqual(client.state, "closed")

    async def test_should_read_retry_after(self) -> None:
        expected = {"7": 7, "0": 0, "60": 60, "61": 60, "9" * 20: 60, "-5": 0, "2.5": 0, "²": 0}
        for header, seconds in {**expected, "": 0, "Wed, 21 Oct 2037 07:28:00 GMT": 0}.items():
            self.assertEqual(seconds, retry_after(header), header)

    async def test_should_wait_for_retry_after_and_the_backoff(self) -> None:
        client = await self.connect()
        closed = Closed(1006, "busy", 7)
        connector = client._connector
        waits = {connector._wait_after(closed, self.node.url, 0) for _ in range(50)}
        self.assertGreater(len(waits), 1)
        self.assertTrue(all(wait is not None and wait >= 7 for wait in waits))

    async def test_should_settle_by_the_outcome_of_the_handler(self) -> None:
        def handle(delivery: sluice.Delivery) -> Any:
            if delivery.text == "bad":
                raise ValueError("bad")
            return delivery.reject() if delivery.text == "mine" else None

        client = await self.connect()
        consumer = client.queue("q").consume(
            handle, credit=3, on_error=lambda error: self.errors.append(error.code)
        )
        session = await self.node.welcome()
        consume = await session.receive("consume")
        self.assertEqual(consume["credit"], 3)
        ref = consume["ref"]
        session.send(type="consuming", ref=ref, queue="q")
        for tag, payload in enumerate(("good", "bad", "mine"), start=1):
            deliver(session, ref, tag, payload)
        for tag, kind in enumerate(("ack", "release", "reject"), start=1):
            settlement = await session.receive(kind)
            self.assertEqual(settlement["tag"], tag)
            session.send(type="settled", ref=settlement["ref"], subscription=ref)
        self.assertEqual(self.errors, ["handler-failed"])
        await within(consumer.close())
        self.assertEqual((await session.receive("credit"))["credit"], 0)
        self.assertEqual((await session.receive("unsubscribe"))["subscription"], ref)
        self.assertEqual(consumer.state, "closed")

    async def test_should_continue_after_a_handler_that_was_cancelled(self) -> None:
        client = await self.connect()
        settled: list[str] = []

        async def handle(delivery: sluice.Delivery) -> None:
            if delivery.tag == 1:
                raise asyncio.CancelledError
            settled.append(delivery.text)

        client.queue("orders").consume(
            handle, credit=2, on_error=lambda error: settled.append(error.code)
        )
        session = await self.node.welcome()
        consume = await session.receive("consume")
        for tag in (1, 2):
            session.send(
                type="delivery", ref=consume["ref"], tag=tag, id=f"{tag:016x}", time=1, payload="x"
            )
        release = await session.receive("release")
        session.send(type="released", ref=release["ref"])
        ack = await session.receive("ack")
        session.send(type="acked", ref=ack["ref"])
        self.assertEqual((release["tag"], ack["tag"]), (1, 2))
        self.assertEqual(settled, ["handler-failed", "x"])

    async def test_should_acknowledge_in_a_transaction(self) -> None:
        client = await self.connect()

        async def handle(delivery: sluice.Delivery) -> None:
            async with client.transaction() as transaction:
                transaction.publish({"queue": "fills"}, b"7")
                transaction.ack(delivery)

        client.durable("a.>", "d").consume(handle)
        session = await self.node.welcome()
        consume = await session.receive("consume")
        self.assertEqual((consume["topic"], consume["durable"]), ("a.>", "d"))
        deliver(session, consume["ref"], 1, "7")
        frame = await session.receive("transaction")
        self.assertEqual(frame["ack"], [{"subscription": consume["ref"], "tag": 1}])
        publish = {"queue": "fills", "encoding": "base64", "payload": "Nw=="}
        self.assertEqual(frame["publish"], [publish])
        session.send(type="committed", ref=frame["ref"])
        # The next frame shows that the message is not acknowledged twice.
        deliver(session, consume["ref"], 2, "8")
        self.assertEqual((await session.receive("transaction"))["ack"][0]["tag"], 2)

    async def test_should_forget_deliveries_that_have_returned(self) -> None:
        client = await self.connect()
        release = asyncio.Event()

        deliveries: list[sluice.Delivery] = []

        async def handle(delivery: sluice.Delivery) -> None:
            deliveries.append(delivery)
            await release.wait()

        client.queue("q").consume(handle)
        session = await self.node.welcome()
        ref = (await session.receive("consume"))["ref"]
        deliver(session, ref, 1, "1")
        while not deliveries:
            await asyncio.sleep(0)
        session.send(type="released", ref=ref, tag=1, reason="timeout")
        while not deliveries[0].is_settled:
            await asyncio.sleep(0)
        deliver(session, ref, 2, "1")
        release.set()
        self.assertEqual((await session.receive("ack"))["tag"], 2)

    async def test_should_let_a_handler_close_the_client(self) -> None:
        client = await self.connect()
        client.queue("q").consume(lambda delivery: client.close())
        session = await self.node.welcome()
        deliver(session, (await session.receive("consume"))["ref"], 1, "1")
        self.assertEqual((await session.receive("closed"))["code"], 1000)
        self.assertEqual(client.state, "closed")

    async def test_should_start_no_task_for_a_consumer_of_a_closed_client(self) -> None:
        client = await self.connect()
        await client.close()
        tasks = asyncio.all_tasks()
        with self.assertRaises(sluice.SluiceError) as caught:
            client.queue("q").consume(print)
        self.assertEqual(caught.exception.code, "closed")
        self.assertEqual(asyncio.all_tasks(), tasks)

    async def test_should_send_requests(self) -> None:
        client = await self.connect()
        requesting = asyncio.ensure_future(client.queue("q").request("?", timeout=2))
        session = await self.node.welcome()
        request = await session.receive("request")
        self.assertEqual((request["queue"], request["timeout"]), ("q", 2_000))
        reply = {"id": "0" * 16, "time": 1, "encoding": "json", "payload": {"a": 1}}
        session.send(type="reply", ref=request["ref"], **reply)
        self.assertEqual((await within(wait(requesting))).json(), {"a": 1})

    async def test_should_check_arguments(self) -> None:
        client = await self.connect()
        for call in (
            lambda: sluice.connect("http://a/ws"),
            lambda: sluice.connect([]),
            lambda: sluice.connect("ws://a/ws#b"),
            lambda: sluice.connect("ws://a/ws", max_publishes=0),
            lambda: sluice.connect("ws://a/ws", encoding="xml"),
            lambda: sluice.connect("ws://a/ws", min_backoff=2, max_backoff=1),
            lambda: sluice.PublishOptions(id="x" * 129),
            lambda: sluice.PublishOptions(priority=10),
            lambda: sluice.PublishOptions(ttl=0),
            lambda: client.queue("q").consume(print, credit=-1),
            lambda: client.queue("q").consume(print, ack="never"),
        ):
            with self.assertRaises(sluice.SluiceError) as caught:
                call()
            self.assertEqual(caught.exception.code, "invalid-argument")
        sluice.PublishOptions(id="x" * 128, priority=9, ttl=1)


if __name__ == "__main__":
    unittest.main()
