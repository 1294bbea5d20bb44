"""Subscribe requests on the second connection of a move, and their answers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._connection import Connection
from ._frames import Frame
from ._subscription import TEMPORARY, Subscription

if TYPE_CHECKING:
    from ._client import Client


@dataclass(eq=False)
class _Request:
    """Request, and the state of the subscription's stream when it was sent."""

    subscription: Subscription
    generation: int
    count: int
    #: None after a temporary refusal.
    ref: int | None
    is_answered: bool = False
    retry_at: float = float("inf")


class MoveRequests:
    """Requests of all subscriptions by position: PROTOCOL.md, section 4."""

    def __init__(self, client: Client, connection: Connection) -> None:
        self._client = client
        self._connection = connection
        self._all: dict[Subscription, _Request] = {}
        self._by_ref: dict[int | None, _Request] = {}
        self._refusals: dict[Subscription, int] = {}
        self._withdrawn: set[int] = set()
        #: Whether the node has the logs of the node that the client leaves.
        self.is_same_node = False
        #: Whether the node has permanently refused a subscription.
        self.is_refused = False

    def update(self) -> bool:
        """Sends requests that are missing or outdated; returns whether all are answered."""
        self._withdraw_closed()
        answered = [self._is_answered(one) for one in self._client.subscriptions]
        return all(answered)

    def take(self) -> dict[Subscription, int]:
        """Returns the refs of the valid requests, and withdraws the others."""
        self._withdraw_closed()
        for request in list(self._all.values()):
            if not self._is_current(request):
                self._withdraw(request)
        return {one: request.ref for one, request in self._all.items() if request.ref is not None}

    def on_answer(self, frame: Frame) -> bool:
        """Records an answer; returns whether the frame is to be kept for the subscription."""
        request = self._by_ref.get(frame.ref) if frame.has("ref") else None
        if request is None:
            return True
        if frame.kind == "subscribed":
            epoch = request.subscription.continuity.epoch
            self.is_same_node |= frame.text("epoch") == epoch
        elif frame.text("code") in TEMPORARY:
            self._postpone(request)
            return False
        else:
            self.is_refused = True
        request.is_answered = True
        return True

    def is_withdrawn(self, frame: Frame) -> bool:
        """Returns whether a frame is the refusal of a request that was withdrawn."""
        return frame.kind == "error" and frame.has("ref") and frame.ref in self._withdrawn

    def _postpone(self, request: _Request) -> None:
        count = self._refusals.get(request.subscription, 0) + 1
        self._refusals[request.subscription] = count
        request.retry_at = time.monotonic() + self._client.backoff(count)
        del self._by_ref[request.ref]
        request.ref = None

    def _is_answered(self, subscription: Subscription) -> bool:
        if subscription.is_refused:
            return True
        request = self._all.get(subscription)
        if request and self._is_current(request):
            return request.is_answered
        if subscription.is_tagged and not self._connection.has_feature("selectors"):
            self.is_refused = True
            return True
        if not subscription.continuity.is_replaying:
            self._send(subscription)
        return False

    def _send(self, subscription: Subscription) -> None:
        before = self._all.get(subscription)
        if before:
            self._withdraw(before)
        ref, continuity = self._client.next_ref(), subscription.continuity
        request = _Request(subscription, subscription.generation, continuity.count, ref)
        self._all[subscription] = self._by_ref[ref] = request
        self._connection.post(subscription.request(ref, continuity.next()))

    def _is_current(self, request: _Request) -> bool:
        """Returns whether the answer's stream continues the one of the other connection.

        After a gap, earlier messages would arrive out of order. At most half of the overlap may be
        repeated.
        """
        subscription = request.subscription
        if subscription.generation != request.generation or subscription.continuity.is_replaying:
            return False
        repeated = subscription.continuity.count - request.count
        return time.monotonic() < request.retry_at and repeated <= self._connection.overlap / 2

    def _withdraw_closed(self) -> None:
        active = set(self._client.subscriptions)
        for request in list(self._all.values()):
            if request.subscription not in active:
                self._withdraw(request)

    def _withdraw(self, request: _Request) -> None:
        del self._all[request.subscription]
        if request.ref is not None and request.ref in self._by_ref:
            del self._by_ref[request.ref]
            self._withdrawn.add(request.ref)
            ref = self._client.next_ref()
            # The answer may be an error, if the node has refused the request.
            self._connection.ignore(ref)
            self._connection.post(request.subscription.withdrawal(ref, request.ref))
