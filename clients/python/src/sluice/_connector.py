"""Lifecycle of the connections of one client: attempts, backoff, redirects, drain and tokens."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from ssl import SSLContext
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ._binary import SUBPROTOCOLS
from ._close_codes import AfterClose, after_close, backoff
from ._connection import Connection, error_of
from ._errors import SluiceError, ends_client, invalid_argument
from ._frames import BadFrame, Frame, Members
from ._identity import Identity
from ._move import Candidate, Move, Redirected, retire
from ._renewal import Token, bad_answer, next_token, renew
from ._version import VERSION
from ._websocket import ABNORMAL, Closed

if TYPE_CHECKING:
    from ._client import Client

#: A connection that lasted this many seconds resets the count of failures.
STABLE = 5.0
UNAUTHORIZED, EXPIRED, DRAINING = 4200, 4201, 4100
_URL = re.compile("wss?://[^#/]+[^#]*")


def _is_url(url: str) -> bool:
    try:
        return bool(_URL.fullmatch(url)) and urlsplit(url).port != 0
    except ValueError:
        return False


@dataclass(frozen=True)
class Settings:
    """Settings of the connections; times are in seconds."""

    urls: Sequence[str]
    token: Token | None
    redirect: bool
    min_backoff: float
    max_backoff: float
    connect_timeout: float
    ssl: SSLContext | None
    encoding: str

    def __post_init__(self) -> None:
        for url in self.urls or [""]:
            if not _is_url(url):
                raise invalid_argument(f"url must be like wss://example.com/ws, not {url!r}")
        if not 0 <= self.min_backoff <= self.max_backoff:
            raise invalid_argument("backoff must be 0 <= min_backoff <= max_backoff")
        if self.encoding not in SUBPROTOCOLS:
            raise invalid_argument(f'encoding must be "binary" or "json", not {self.encoding!r}')
        if self.connect_timeout <= 0:
            raise invalid_argument("connect_timeout must be above 0")

    def backoff(self, failures: int) -> float:
        """Returns a random wait that grows with the failures."""
        return backoff(failures, self.min_backoff, self.max_backoff)


class Connector:
    """Connects again and again, until the client is closed or a node forbids it."""

    def __init__(self, client: Client, settings: Settings) -> None:
        self._client = client
        self._settings = settings
        self._retry = asyncio.Event()
        self._failures = 0
        self._address = 0
        #: Address of a redirect for the next attempt.
        self._target: str | None = None
        #: Set from a redirect to the next hello.
        self._is_redirected = False
        self._is_token_renewed = False
        self._identity = Identity()
        self._move: Move | None = None
        #: Set when a connection has ended, or the client has moved.
        self._changed = asyncio.Event()

    @property
    def urls(self) -> Sequence[str]:
        return self._settings.urls

    def backoff(self, failures: int) -> float:
        """Returns a random wait that grows with the failures."""
        return self._settings.backoff(failures)

    def retry_now(self) -> None:
        self._retry.set()

    async def run(self) -> None:
        while not self._client.is_closed:
            try:
                wait = self._wait_after(*await self._serve())
            except Redirected as redirected:
                self._target, self._is_redirected = redirected.url, True
                continue
            if wait is None or self._client.is_closed:
                return
            self._retry.clear()
            try:
                await asyncio.wait_for(self._retry.wait(), wait)
            except asyncio.TimeoutError:
                pass

    async def _serve(self) -> tuple[Closed, str, float]:
        """Serves the client until it has no connection; returns the end, address and uptime."""
        url = self._target or self._settings.urls[self._address]
        self._target = None
        try:
            connection = await self.open(url, self._is_redirected)
        except Closed as closed:
            return closed, url, 0
        self._is_redirected = self._is_token_renewed = False
        self._client.on_open(connection)
        self._start_renewal(connection)

        async def on_frame(frame: Frame) -> None:
            await self._client.on_frame(connection, frame)

        self._client.start(self.read(connection, on_frame))
        return await self._end()

    async def _end(self) -> tuple[Closed, str, float]:
        """Returns the end of the current connection, which may be another one by then."""
        while True:
            self._changed.clear()
            connection = self._client.connection
            assert connection
            closed = connection.closed
            if closed is None:
                await self._changed.wait()
                continue
            move, self._move = self._move, None
            is_fatal = after_close(closed.code) is AfterClose.DONT_RETRY
            if move and is_fatal:
                move.stop()
            elif move and move.on_connection_end():
                continue
            self._client.on_end(connection)
            return closed, connection.url, connection.uptime()

    async def read(
        self, connection: Connection, on_frame: Callable[[Frame], Awaitable[None]]
    ) -> None:
        """Reads a connection until its end."""
        try:
            while True:
                await on_frame(await connection.receive())
        except Closed as closed:
            connection.closed = Closed(DRAINING, "moved") if connection.is_ended else closed
        except BadFrame as error:
            self._client.report(bad_answer(error))
            connection.closed = Closed(ABNORMAL, str(error))
        finally:
            connection.end()
            self._changed.set()
            self._client.on_left(connection)

    async def open(self, url: str, is_redirected: bool) -> Connection:
        """Opens a connection and returns it after its hello.

        Raises Redirected if the node has sent a redirect instead, and Closed.
        """
        limit = self._settings.connect_timeout
        try:
            return await asyncio.wait_for(self._open(url, is_redirected), limit)
        except asyncio.TimeoutError as error:
            raise Closed(ABNORMAL, f"no hello within {limit} s") from error

    async def _open(self, url: str, is_redirected: bool) -> Connection:
        connection = await Connection.open(url, self._settings.encoding, self._settings.ssl)
        try:
            await connection.send(await self._connect_frame(is_redirected))
            while not connection.has_hello:
                self._before_hello(connection, is_redirected, await connection.receive())
            return connection
        except (BadFrame, SluiceError) as error:
            is_own = isinstance(error, SluiceError)
            if isinstance(error, SluiceError) and ends_client(error):
                self._client.abort(error)
            else:
                self._client.report(error if isinstance(error, SluiceError) else bad_answer(error))
            connection.end()
            raise Closed(ABNORMAL, str(error)) from (None if is_own else error)
        except BaseException:
            connection.end()
            raise

    async def _connect_frame(self, is_redirected: bool) -> Members:
        frame: Members = {"type": "connect", "client": f"sluice-python/{VERSION}"}
        if self._settings.token is not None:
            frame["token"] = await self._request_token()
        if self._settings.redirect:
            frame["redirect"] = True
            if is_redirected:
                frame["redirected"] = True
        return frame

    async def _request_token(self) -> str:
        """Returns a credential; raises if there is none, or if it has another subject."""
        token = await next_token(self._settings.token or "")
        self._identity.on_token(token)
        return token

    def _before_hello(self, connection: Connection, is_redirected: bool, frame: Frame) -> None:
        if frame.kind == "hello":
            self._identity.on_hello(frame)
            connection.hello = frame
        elif frame.kind == "redirect":
            url = frame.text("url")
            if is_redirected or not self._is_usable(connection.url, url):
                raise BadFrame(f"redirect to {url}")
            raise Redirected(url)
        elif frame.kind == "error":
            self._client.report(error_of(frame))
        else:
            raise BadFrame(f"{frame.kind} must follow hello")

    def _is_usable(self, current: str, url: str) -> bool:
        """Returns whether a redirect is secure enough and can be followed."""
        is_downgrade = current.startswith("wss:") and not url.startswith("wss:")
        return self._settings.redirect and _is_url(url) and not is_downgrade

    def _start_renewal(self, connection: Connection) -> None:
        if self._settings.token is not None:
            self._client.start(renew(self._client, connection, self._request_token))

    def on_move(self, connection: Connection, frame: Frame) -> None:
        """Begins a move, as the node drains or has named a better address."""
        url = frame.optional_text("url") if self._settings.redirect else None
        if url is not None and not self._is_usable(connection.url, url):
            self._client.report(SluiceError("bad-answer", f"redirect to {url}"))
            url = None
        left: float | None = None
        if frame.kind == "draining":
            left = max(0.0, (frame.number("deadline") - connection.node_time()) / 1000)
        elif url is None:
            return
        if self._move and self._move.has_deadline and url is not None and left is None:
            self._move.set_target(url)
            return
        if self._move:
            self._move.stop()
        self._client.notify("draining")
        self._move = move = Move(self._client, self, url, left)
        self._client.start(move.run())
        if left is not None:
            self._client.start(move.expire())

    def on_stay(self, move: Move, connection: Connection) -> None:
        """Records that the client stays, as the other node cannot serve it."""
        if move is self._move:
            self._move = None
            self._client.show_state(connection)

    def adopt(self, old: Connection, candidate: Candidate) -> None:
        """Makes the second connection of a move the current one."""
        self._move = None
        self._is_redirected = self._is_token_renewed = False
        self._client.on_adopted(old, candidate.connection, candidate.adopt())
        self._client.show_state(candidate.connection)
        self._start_renewal(candidate.connection)
        self._client.start(retire(self._client, old))
        self._changed.set()

    def _wait_after(self, closed: Closed, url: str, uptime: float) -> float | None:
        """Returns the wait after the end of a connection; None if there is no next one."""
        code = closed.code
        is_token_refused = code in (UNAUTHORIZED, EXPIRED) and self._settings.token is not None
        if is_token_refused and not self._is_token_renewed:
            self._is_token_renewed = True
            self._client.notify("connecting")
            return 0
        if after_close(code) is AfterClose.DONT_RETRY:
            refusal = SluiceError("refused", f"the node closed the connection with {closed}")
            self._client.finish(refusal, refusal)
            self._client.report(refusal)
            return None
        if self._client.is_closed:
            return None
        self._client.notify("connecting")
        is_stable = uptime >= STABLE
        self._failures = 0 if is_stable else self._failures + 1
        self._address = 0 if is_stable else (self._address + 1) % len(self._settings.urls)
        # Prevents a reconnect loop to a node that drains for a long time.
        if after_close(code) is AfterClose.RETRY_ELSEWHERE and is_stable:
            return 0
        is_same = self._target is None and self._settings.urls[self._address] == url
        wait = self._settings.backoff(self._failures)
        # In addition: the clients that a node has refused together must not return together.
        return wait + closed.retry_after if is_same else wait
