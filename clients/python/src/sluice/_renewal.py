"""Renewal of the credential of one client before it expires."""

from __future__ import annotations

import asyncio
import inspect
import random
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Union

from ._connection import Connection
from ._errors import LoggedOut, SluiceError, ends_client
from ._frames import BadFrame

if TYPE_CHECKING:
    from ._client import Client

#: Credential, or a function or coroutine function that supplies one.
Token = Union[str, Callable[[], Union[str, Awaitable[str]]]]

# Later times exceed the range of floats.
MAX_TIME = 1 << 53


async def next_token(supplier: Token) -> str:
    """Returns a credential; raises `no-token` if its supplier fails."""
    try:
        token = supplier() if callable(supplier) else supplier
        token = await token if inspect.isawaitable(token) else token
    except LoggedOut:
        raise
    except Exception as error:
        raise SluiceError("no-token", f"the supplier of tokens failed: {error!r}") from error
    if not isinstance(token, str):
        raise SluiceError("no-token", f"the token must be a str, not {type(token)}")
    return token


def wait_until(expires: int, now: float) -> float:
    """Returns a random wait in seconds until a renewal; an expiry in the past has one, too."""
    left = (min(expires, MAX_TIME) - now) / 1000
    return max(random.uniform(1, 2), left * random.uniform(0.8, 0.9))


async def renew(
    client: Client, connection: Connection, request_token: Callable[[], Awaitable[str]]
) -> None:
    """Renews the credential of a connection again and again.

    If it fails, the node ends the connection with 4201.
    """
    expires = connection.hello.optional_number("expires")
    while expires is not None:
        await asyncio.sleep(wait_until(expires, connection.node_time()))
        if connection is not client.connection:
            return
        try:
            frame = {"type": "refresh", "token": await request_token()}
            answer = await connection.call(client.next_ref(), frame)
            expires = answer.optional_number("expires")
            client.on_refreshed(connection)
        except (SluiceError, BadFrame) as error:
            if isinstance(error, SluiceError) and ends_client(error):
                client.abort(error)
                return
            client.report(bad_answer(error) if isinstance(error, BadFrame) else error)
            return


def bad_answer(error: BadFrame) -> SluiceError:
    """Returns the error of the application for an invalid frame."""
    return SluiceError("bad-answer", str(error))
