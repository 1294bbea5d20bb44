"""Base of the tests of a client with scripted nodes."""

from __future__ import annotations

import asyncio
import unittest
from collections.abc import AsyncIterator, Coroutine
from typing import Any, TypeVar

import sluice

from .node import TIMEOUT, Node, Session

Result = TypeVar("Result")


async def within(work: Coroutine[Any, Any, Result]) -> Result:
    return await asyncio.wait_for(work, TIMEOUT)


class ClientCase(unittest.IsolatedAsyncioTestCase):
    """Client whose node is scripted."""

    async def asyncSetUp(self) -> None:
        self.node = await self.enterAsync(Node())
        self.errors: list[str] = []

    async def enterAsync(self, context: Any) -> Any:
        # enterAsyncContext requires Python 3.11.
        entered = await context.__aenter__()
        self.addAsyncCleanup(context.__aexit__, None, None, None)
        return entered

    async def connect(self, *urls: str, **options: Any) -> sluice.Client:
        client = sluice.connect(
            urls or self.node.url,
            min_backoff=0.001,
            max_backoff=0.002,
            on_error=lambda error: self.errors.append(error.code),
            **options,
        )
        entered: sluice.Client = await self.enterAsync(client)
        return entered

    async def assert_fails(self, code: str, work: Coroutine[Any, Any, Any]) -> None:
        with self.assertRaises(sluice.SluiceError) as caught:
            await within(work)
        self.assertEqual(caught.exception.code, code)


async def anext_of(iterator: AsyncIterator[Result]) -> Result:
    return await iterator.__anext__()


async def wait(future: asyncio.Future[Result]) -> Result:
    return await future


def deliver(session: Session, ref: int, tag: int, payload: str) -> None:
    session.send(type="delivery", ref=ref, tag=tag, id=f"{tag:016x}", time=1, payload=payload)


async def answer(session: Session, count: int) -> None:
    for _ in range(count):
        session.send(type="published", ref=(await session.receive("publish"))["ref"])
