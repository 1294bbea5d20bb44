"""Presence with scripted nodes."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import sluice

from .case import ClientCase, wait, within
from .node import HELLO, Session
from .test_binary import sections

TOPIC = "room.1"
ANN = {"id": "a", "subject": "ann", "info": {"name": "Ann"}}
ANN_MEMBER = sluice.PresenceMember("a", "ann", {"name": "Ann"})


class PresenceTest(ClientCase):
    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.client = await self.connect()
        self.changes: list[tuple[int, bool]] = []

    async def welcome(self) -> Session:
        session: Session = await self.node.accept()
        await session.receive("connect")
        session.send(**{**HELLO, "features": ["presence"]})
        return session

    def on_change(self, presence: sluice.Presence) -> None:
        self.changes.append((presence.count, presence.live))

    def enter(self, **options: Any) -> asyncio.Future[sluice.Presence]:
        entering = self.client.presence(TOPIC, on_change=self.on_change, **options)
        return asyncio.ensure_future(entering)

    async def enter_first(self) -> tuple[Session, dict[str, Any], sluice.Presence]:
        entering = self.enter(info={"name": "Ann"})
        session = await self.welcome()
        request = await session.receive("presence")
        self.present(session, ref=request["ref"], self="a", count=1, members=[ANN])
        return session, request, await within(wait(entering))

    def present(self, session: Session, /, **members: Any) -> None:
        session.send(**{"type": "present", "topic": TOPIC, **members})

    async def until_changed(self, count: int) -> None:
        while len(self.changes) < count:
            await asyncio.sleep(0.001)

    async def test_should_enter_a_topic_and_follow_its_members(self) -> None:
        session, request, presence = await self.enter_first()
        golden = json.loads(sections("clientPresence")[0]["text"])
        same = {name: request[name] for name in ("ref", "key", "info")}
        self.assertEqual(request, {**golden, **same})
        self.assertRegex(request["key"], "^[0-9a-f]{32}$")
        self.assertEqual((presence.members, presence.self_id), ([ANN_MEMBER], "a"))
        self.present(session, count=2, joined=[{"id": "b"}])
        await self.until_changed(2)
        bob = sluice.PresenceMember("b", None, None)
        self.assertEqual(presence.members, [ANN_MEMBER, bob])
        self.present(session, count=500, truncated=True, partial=True)
        await self.until_changed(3)
        self.assertEqual((presence.members, presence.partial), (None, True))
        self.present(session, count=1, members=[ANN])
        self.present(session, count=0, left=["a"])
        await self.until_changed(5)
        self.assertEqual(presence.members, [])
        self.assertEqual([count for count, _ in self.changes], [1, 2, 500, 1, 0])

    async def test_should_update_and_leave(self) -> None:
        session, request, presence = await self.enter_first()
        await self.assert_fails("invalid-argument", self.client.presence(TOPIC))
        presence.update("away")
        update = await session.receive("presence")
        self.assertEqual((update["info"], update["key"]), ("away", request["key"]))
        with self.assertRaises(sluice.SluiceError):
            presence.update(float("nan"))
        presence.leave()
        presence.leave()
        self.assertEqual((await session.receive("leave"))["topic"], TOPIC)
        watching = self.enter(enter=False, members=False)
        watch = await session.receive("presence")
        golden = json.loads(sections("clientPresence")[1]["text"])
        self.assertEqual(watch, {**golden, "ref": watch["ref"]})
        self.present(session, ref=watch["ref"], count=7)
        watched = await within(wait(watching))
        self.assertEqual((watched.count, watched.members, watched.self_id), (7, None, None))

    async def test_should_enter_again_after_a_reconnect_with_the_same_key(self) -> None:
        session, request, _ = await self.enter_first()
        session.close(1011)
        second = await self.welcome()
        again = await second.receive("presence")
        self.assertEqual(again["key"], request["key"])
        self.present(second, ref=again["ref"], count=2)
        await self.until_changed(3)
        self.assertEqual(self.changes, [(1, True), (1, False), (2, True)])

    async def test_should_raise_if_it_is_not_permitted(self) -> None:
        entering = self.enter()
        session = await self.welcome()
        self.refuse(session, await session.receive("presence"), "forbidden")
        await self.assert_fails("forbidden", wait(entering))
        entering = self.enter()
        request = await session.receive("presence")
        self.present(session, ref=request["ref"], count=1)
        await within(wait(entering))
        self.refuse(session, request, "rate-limited")
        await session.receive("presence")
        self.assertEqual((self.errors, self.changes[-1]), (["rate-limited"], (1, False)))

    def refuse(self, session: Session, request: dict[str, Any], code: str) -> None:
        session.send(type="error", ref=request["ref"], code=code, message="no", topic=TOPIC)

    async def test_should_raise_at_a_node_without_presence(self) -> None:
        entering = self.enter()
        await self.node.welcome()
        await self.assert_fails("unsupported", wait(entering))
