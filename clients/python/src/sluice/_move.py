"""Make-before-break moves from one node to another: PROTOCOL.md, section 4."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from ._connection import Connection
from ._errors import SluiceError
from ._frames import BadFrame, Frame
from ._move_requests import MoveRequests
from ._subscription import Subscription
from ._websocket import Closed

if TYPE_CHECKING:
    from ._client import Client
    from ._connector import Connector

#: Seconds in which the other node must answer all subscriptions.
ANSWERS_TIME = 15.0
POLL = 0.02
#: Seconds without new publishes, which is in general enough for the answers to earlier ones.
MAX_PAUSE = 0.2
#: Kept frames at which the client adopts the connection without waiting longer.
MAX_KEPT = 10_000
#: A message that was sent before the consumers were paused arrives in this time.
RETIRE_POLL = 0.1
#: Default seconds after which a node takes back messages that are not settled.
RETIRE_TIME = 300.0


class Redirected(Exception):
    """Redirect instead of a hello."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


class Candidate:
    """Second connection of a client, which keeps its frames until the client adopts it."""

    def __init__(self, client: Client, connection: Connection) -> None:
        self.connection = connection
        self.requests = MoveRequests(client, connection)
        #: Set when an answer has arrived.
        self.answered = asyncio.Event()
        self._client = client
        self._kept: deque[Frame] = deque()
        self._is_adopted = False
        self._delivering = asyncio.Lock()

    async def on_frame(self, frame: Frame) -> None:
        if self._is_adopted:
            self._kept.append(frame)
            await self._deliver()
        elif not self.connection.on_answer(frame):
            self._keep(frame)

    def _keep(self, frame: Frame) -> None:
        if frame.kind in ("subscribed", "error"):
            self.answered.set()
            if not self.requests.on_answer(frame):
                return
        self._kept.append(frame)

    @property
    def is_full(self) -> bool:
        return len(self._kept) >= MAX_KEPT

    @property
    def is_worse(self) -> bool:
        """Whether the node serves less than the one that the client need not leave."""
        return self.connection.is_stale or self.requests.is_refused

    def adopt(self) -> dict[Subscription, int]:
        """Passes frames to the client from now on; returns the refs of its valid requests."""
        refs = self.requests.take()
        self._is_adopted = True
        self._client.start(self._deliver_kept())
        return refs

    async def _deliver_kept(self) -> None:
        try:
            await self._deliver()
        except BadFrame as error:
            self._client.report(SluiceError("bad-answer", str(error)))
            self.connection.end()

    async def _deliver(self) -> None:
        async with self._delivering:
            while self._kept and not self.connection.is_ended:
                frame = self._kept.popleft()
                if not self.requests.is_withdrawn(frame):
                    await self._client.on_frame(self.connection, frame)


class Move:
    """Move to another node.

    A second connection requests all subscriptions while the first one continues. The client adopts
    it when the other node has answered all of them, and this one all publishes. A failed attempt
    has no effect on the first connection.
    """

    def __init__(
        self, client: Client, connector: Connector, target: str | None, left: float | None
    ) -> None:
        assert client.connection
        self._client = client
        self._connector = connector
        self._old = client.connection
        self._target = target
        #: Whether a node has named the address.
        self._is_redirected = False
        self._attempts = 0
        now = asyncio.get_running_loop().time()
        #: Time at which the node closes the connection; None if the client may stay.
        self._deadline = None if left is None else now + left
        self._candidate: Candidate | None = None
        #: Time at which new publishes wait no longer; None while they do not wait.
        self._pause_end: float | None = None
        self.is_ended = False

    @property
    def has_deadline(self) -> bool:
        """Whether the client must leave the node."""
        return self._deadline is not None

    def set_target(self, url: str) -> None:
        """Sets the address of the next attempt."""
        self._target = url

    async def run(self) -> None:
        """Tries until the client has moved, or may stay and the attempt has failed."""
        failures = 0
        # Python 3.11 may lose the cancellation of a wait with a limit.
        while not self.is_ended and not self._client.is_closed:
            url = self._next_url()
            retry_after = await self._attempt(url)
            if self._deadline is None or self.is_ended:
                break
            failures += 1
            # Half of the remaining time: the node that sent the Retry-After may be the only one.
            left = self._deadline - asyncio.get_running_loop().time()
            wait = retry_after if self._peek_url() == url else 0.0
            await asyncio.sleep(self._connector.backoff(failures) + min(wait, left / 2))
        if not self.is_ended:
            self.stop()
            self._connector.on_stay(self, self._old)

    async def expire(self) -> None:
        """Leaves the node at the deadline, if it has not closed the connection."""
        assert self._deadline is not None
        await asyncio.sleep(self._deadline - asyncio.get_running_loop().time())
        if not self.is_ended:
            await self._old.close()
            self._old.end()

    def _peek_url(self) -> str:
        urls = self._connector.urls
        return self._target or urls[self._attempts % len(urls)]

    def _next_url(self) -> str:
        url = self._peek_url()
        if self._target is None:
            self._attempts += 1
        else:
            self._is_redirected = True
        self._target = None
        return url

    async def _attempt(self, url: str) -> float:
        """Makes an attempt; returns the wait that the node requests."""
        try:
            connection = await self._connector.open(url, self._is_redirected)
        except Redirected as redirected:
            # Follows one redirect, as the next one raises a BadFrame.
            self._is_redirected = True
            return await self._attempt(redirected.url)
        except Closed as closed:
            return closed.retry_after
        if self.is_ended:
            await connection.close()
            return 0.0
        self._candidate = candidate = Candidate(self._client, connection)
        self._client.start(self._connector.read(connection, candidate.on_frame))
        try:
            await self._settle(candidate)
        finally:
            if self._candidate is candidate:
                await self._discard(candidate)
        return 0.0

    async def _settle(self, candidate: Candidate) -> None:
        end = asyncio.get_running_loop().time() + ANSWERS_TIME
        while self._is_open(candidate) and asyncio.get_running_loop().time() < end:
            candidate.answered.clear()
            is_ready = candidate.requests.update() or candidate.is_full
            may_stay = self._deadline is None
            if candidate.requests.is_same_node or (may_stay and candidate.is_worse):
                return
            self._pause_publishes(is_ready)
            if is_ready and self._old.publishes == 0:
                self._adopt(candidate)
                return
            if candidate.is_full:
                return
            try:
                await asyncio.wait_for(candidate.answered.wait(), POLL)
            except asyncio.TimeoutError:
                pass

    def _pause_publishes(self, is_ready: bool) -> None:
        """Pauses publishes for a limited time, because an answer may take long."""
        now = asyncio.get_running_loop().time()
        if is_ready and self._pause_end is None:
            self._pause_end = now + MAX_PAUSE
            self._client.calls.block()
        elif not is_ready or self._pause_end is None or now >= self._pause_end:
            self._pause_end = None
            self._client.calls.unblock()

    def _is_open(self, candidate: Candidate) -> bool:
        is_active = not self.is_ended and not self._client.is_closed
        return is_active and not candidate.connection.is_ended

    def _adopt(self, candidate: Candidate) -> None:
        self.is_ended = True
        self._candidate = None
        self._connector.adopt(self._old, candidate)

    async def _discard(self, candidate: Candidate) -> None:
        self._candidate = None
        if self._client.connection is self._old:
            self._pause_publishes(False)
        await candidate.connection.close()
        candidate.connection.end()

    def on_connection_end(self) -> bool:
        """Returns whether the client has adopted the other connection at the end of this one."""
        candidate = self._candidate
        if candidate and self._is_open(candidate) and not candidate.requests.is_same_node:
            self._adopt(candidate)
            return True
        self.stop()
        return False

    def stop(self) -> None:
        """Ends the move; the client stays."""
        self.is_ended = True
        if self._candidate:
            self._candidate.connection.end()


async def retire(client: Client, connection: Connection) -> None:
    """Closes a connection when its calls are answered and its messages are settled."""
    end = asyncio.get_running_loop().time() + RETIRE_TIME
    was_idle = not client.consumers.is_attached(connection)
    while not connection.is_ended and asyncio.get_running_loop().time() < end:
        is_idle = connection.is_idle and not client.consumers.pending(connection)
        if is_idle and was_idle:
            break
        was_idle = is_idle
        await asyncio.sleep(RETIRE_POLL)
    await connection.close()
    connection.end()
