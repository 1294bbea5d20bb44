"""Publishes, requests and transactions, which wait for a connection and for the end of a move."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._connection import Connection
from ._errors import SluiceError, invalid_argument
from ._frames import Frame, Members

if TYPE_CHECKING:
    from ._client import Client

#: Pause before a publish is repeated, until the end of its connection is recorded.
REPEAT_PAUSE = 0.02


@dataclass
class _Call:
    """Frame with its state."""

    frame: Members
    is_repeatable: bool
    is_sent: bool = False


class Calls:
    """Unanswered calls, up to a maximum."""

    def __init__(self, client: Client, maximum: int, timeout: float) -> None:
        if maximum < 1:
            raise invalid_argument(f"max_publishes must be at least 1, not {maximum}")
        self._client = client
        self._max = maximum
        self._timeout = timeout
        self._unanswered = 0
        #: Set while there is a connection without a pause, and after the end of the client.
        self._opened = asyncio.Event()

    @property
    def is_blocked(self) -> bool:
        """Whether new calls wait."""
        return not self._opened.is_set()

    def block(self) -> None:
        """Lets new calls wait, unless the client has ended."""
        if not self._client.is_closed:
            self._opened.clear()

    def unblock(self) -> None:
        """Lets calls wait no longer, if there is a connection."""
        if self._client.connection or self._client.is_closed:
            self._opened.set()

    async def send(
        self, frame: Members, is_repeatable: bool, timeout: float | None, code: str
    ) -> Frame:
        """Sends a frame with this or the next connection, and returns its answer."""
        if self._unanswered >= self._max:
            text = f"{self._unanswered} calls are unanswered; max_publishes is {self._max}"
            raise SluiceError("publish-queue-full", text)
        limit = self._timeout if timeout is None else timeout
        call = _Call(frame, is_repeatable)
        self._unanswered += 1
        try:
            return await asyncio.wait_for(self._transmit(call), limit)
        except asyncio.TimeoutError as error:
            state = "it had been sent" if call.is_sent else "it was not sent"
            raise SluiceError(code, f"no answer within {limit} s; {state}") from error
        finally:
            self._unanswered -= 1

    async def _transmit(self, call: _Call) -> Frame:
        while True:
            connection = await self._connection()
            if call.is_repeatable and not connection.has_feature("publish-id"):
                raise SluiceError("unsupported", "the node does not support the option id")
            call.is_sent = True
            try:
                return await connection.call(self._client.next_ref(), call.frame)
            except SluiceError as error:
                self._client.require_open()
                if error.code != "connection-lost" or not call.is_repeatable:
                    raise
            call.is_sent = False
            await asyncio.sleep(REPEAT_PAUSE)

    async def _connection(self) -> Connection:
        # The connection may end between the event and the continuation here.
        while True:
            await self._opened.wait()
            self._client.require_open()
            if self._client.connection:
                return self._client.connection
