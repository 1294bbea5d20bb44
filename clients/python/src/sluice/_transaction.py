"""Transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._connection import Connection
from ._errors import SluiceError
from ._frames import Members
from ._messages import NO_OPTIONS, Destination, Payload, PublishOptions, encode, target

if TYPE_CHECKING:
    from ._client import Client
    from ._consumer import Delivery


class Transaction:
    """Messages to publish and to acknowledge; the end of its `async with` block commits them."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._publishes: list[Members] = []
        self._deliveries: list[Delivery] = []

    def publish(
        self,
        destination: Destination,
        payload: Payload,
        options: PublishOptions = NO_OPTIONS,
    ) -> None:
        """Publishes a message at the commit."""
        self._publishes.append({**target(destination), **encode(payload), **options.members("id")})

    def ack(self, delivery: Delivery) -> None:
        """Acknowledges a message at the commit; all belong to one consumer."""
        if delivery.is_settled:
            raise SluiceError("not-pending", "the message was settled or has returned")
        self._deliveries.append(delivery)

    async def __aenter__(self) -> Transaction:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        is_empty = not self._publishes and not self._deliveries
        if kind is None and not is_empty:
            await self._commit()

    async def _commit(self) -> None:
        frame: Members = {"type": "transaction", "publish": self._publishes}
        connection: Connection | None = None
        if self._deliveries:
            frame["ack"] = [delivery.reference for delivery in self._deliveries]
            connection = self._deliveries[0].connection
        if connection is None:
            await self._client.send(frame)
        else:
            await connection.call(self._client.next_ref(), frame)
        for delivery in self._deliveries:
            delivery.mark_settled()
