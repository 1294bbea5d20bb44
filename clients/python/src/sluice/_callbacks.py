"""Calls of the application."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


def guard(callback: Callable[[Value], object] | None, value: Value) -> None:
    """Calls a callback if there is one. Its failure is logged by the event loop."""
    if callback is None:
        return
    try:
        callback(value)
    except Exception as error:
        context = {"message": f"callback {callback!r} has failed", "exception": error}
        asyncio.get_running_loop().call_exception_handler(context)
