"""Lifecycle of the connections of one client: attempts, backoff, redirects, drain and tokens."""

from __future__ import annotations

import asyncio
import inspect
import random
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from ssl import SSLContext
from typing import TYPE_CHECKING, Union
from urllib.parse import urlsplit

from ._binary import SUBPROTOCOLS
from ._close_codes import AfterClose, after_close, backoff
from ._connection import Connection, error_of
from ._errors import SluiceError, invalid_argument
from ._frames import BadFrame, Frame, Members
from ._version import VERSION
from ._websocket import ABNORMAL, Closed

if TYPE_CHECKING:
    from ._client import Client

#: Credential, or a function or coroutine function that supplies one.
Token = Union[str, Callable[[], Union[str, Awaitable[str]]]]

#: A connection that lasted this many seconds resets the count of failures.
STABLE = 5.0
UNAUTHORIZED, EXPIRED, DRAINING = 4200, 4201, 4100
#: Seconds for answers and handlers after a redirect, which has no deadline.
MOVE_TIME = 10.0
MOVE_CHECK = 0.02
MOVE_MARGIN = 0.5
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


class _Redirected(Exception):
    """Redirect instead of a hello."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url


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

    def retry_now(self) -> None:
        self._retry.set()

    async def run(self) -> None:
        while not self._client.is_closed:
            try:
                wait = self._wait_after(*await self._serve())
            except _Redirected as redirected:
                self._redirect_to(redirected.url)
                continue
            if wait is None or self._client.is_closed:
                return
            self._retry.clear()
            try:
                await asyncio.wait_for(self._retry.wait(), wait)
            except asyncio.TimeoutError:
                pass

    def _redirect_to(self, url: str) -> None:
        self._target, self._is_redirected = url, True

    async def _serve(self) -> tuple[Closed, str, float]:
        """Serves one connection; returns its end, its address and its uptime."""
        url = self._target or self._settings.urls[self._address]
        self._target = None
        try:
            connection = await asyncio.wait_for(self._open(url), self._settings.connect_timeout)
        except asyncio.TimeoutError:
            return Closed(ABNORMAL, f"no hello within {self._settings.connect_timeout} s"), url, 0
        except Closed as closed:
            return closed, url, 0
        try:
            self._is_redirected = self._is_token_renewed = False
            await self._client.on_open(connection)
            self._plan_refresh(connection)
            while True:
                await self._client.on_frame(connection, await connection.receive())
        except Closed as closed:
            is_moved = connection.is_ended
            return Closed(DRAINING, "moved") if is_moved else closed, url, connection.uptime()
        except BadFrame as error:
            self._client.report(SluiceError("bad-answer", str(error)))
            return Closed(ABNORMAL, str(error)), url, connection.uptime()
        finally:
            self._client.on_end(connection)

    async def _open(self, url: str) -> Connection:
        connection = await Connection.open(url, self._settings.encoding, self._settings.ssl)
        try:
            await connection.send(await self._connect_frame())
            while not connection.has_hello:
                self._before_hello(connection, await connection.receive())
            return connection
        except (BadFrame, SluiceError) as error:
            is_own = isinstance(error, SluiceError)
            self._client.report(error if isinstance(error, SluiceError) else _bad_answer(error))
            connection.end()
            raise Closed(ABNORMAL, str(error)) from (None if is_own else error)
        except BaseException:
            connection.end()
            raise

    async def _connect_frame(self) -> Members:
        frame: Members = {"type": "connect", "client": f"sluice-python/{VERSION}"}
        if self._settings.token is not None:
            frame["token"] = await self._next_token()
        if self._settings.redirect:
            frame["redirect"] = True
            if self._is_redirected:
                frame["redirected"] = True
        return frame

    async def _next_token(self) -> str:
        try:
            token = self._settings.token() if callable(self._settings.token) else self._settings.token
            token = await token if inspect.isawaitable(token) else token
        except Exception as error:
            raise SluiceError("no-token", f"the supplier of tokens failed: {error!r}") from error
        if not isinstance(token, str):
            raise SluiceError("no-token", f"the token must be a str, not {type(token)}")
        return token

    def _before_hello(self, connection: Connection, frame: Frame) -> None:
        if frame.kind == "hello":
            connection.hello = frame
        elif frame.kind == "redirect":
            url = frame.text("url")
            if self._is_redirected or not self._is_usable(connection.url, url):
                raise BadFrame(f"redirect to {url}")
            raise _Redirected(url)
        elif frame.kind == "error":
            self._client.report(error_of(frame))
        else:
            raise BadFrame(f"{frame.kind} must follow hello")

    def _is_usable(self, current: str, url: str) -> bool:
        """Returns whether a redirect is secure enough and can be followed."""
        is_downgrade = current.startswith("wss:") and not url.startswith("wss:")
        return self._settings.redirect and _is_url(url) and not is_downgrade

    def _plan_refresh(self, connection: Connection) -> None:
        expires = connection.hello.optional_number("expires")
        if self._settings.token is not None and expires is not None:
            self._client.start(self._refresh(connection, expires))

    async def _refresh(self, connection: Connection, expires: int) -> None:
        """Renews the credential. If it fails, the node ends the connection with 4201."""
        while connection is self._client.connection:
            left = (expires - connection.node_time()) / 1000
            await asyncio.sleep(max(1.0, left * random.uniform(0.8, 0.9)))
            if connection is not self._client.connection:
                return
            try:
                frame = {"type": "refresh", "token": await self._next_token()}
                answer = await connection.call(self._client.next_ref(), frame)
                following = answer.optional_number("expires")
            except (SluiceError, BadFrame) as error:
                self._client.report(error if isinstance(error, SluiceError) else _bad_answer(error))
                return
            if following is None:
                return
            expires = following

    def on_move(self, connection: Connection, frame: Frame) -> None:
        url = frame.optional_text("url")
        if url is not None and not self._is_usable(connection.url, url):
            self._client.report(SluiceError("bad-answer", f"redirect to {url}"))
            url = None
        if frame.kind == "draining":
            left = (frame.number("deadline") - connection.node_time()) / 1000 - MOVE_MARGIN
            self._client.start(self._move(connection, url, max(0.0, left)))
        elif url is not None:
            self._client.start(self._move(connection, url, MOVE_TIME))

    async def _move(self, connection: Connection, url: str | None, limit: float) -> None:
        """Moves to another node when all is answered and no message is being processed."""
        self._client.notify("draining")
        for consumer in list(self._client.consumers):
            await consumer.pause()
        end = asyncio.get_running_loop().time() + limit
        while asyncio.get_running_loop().time() < end:
            if connection.is_idle and not any(one.pending for one in self._client.consumers):
                break
            await asyncio.sleep(MOVE_CHECK)
        if connection is self._client.connection:
            if url is not None:
                self._redirect_to(url)
            await connection.close()
            connection.end()

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
        return max(wait, closed.retry_after) if is_same else wait


def _bad_answer(error: BadFrame) -> SluiceError:
    return SluiceError("bad-answer", str(error))
