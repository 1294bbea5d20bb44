"""Client of the Sluice WebSocket gateway for asyncio, with the standard library alone.

    async with sluice.connect("wss://example.com/ws") as client:
        async for message in client.subscribe("stocks.>"):
            print(message.text)
"""

from ._client import Client
from ._consumer import Consumer, Delivery, DurableSubscription, Queue, SharedSubscription
from ._errors import LoggedOut, SluiceError
from ._messages import Gap, Message, Payload, PublishOptions, Reply
from ._presence import Presence, PresenceMember
from ._subscription import Position, Subscription
from ._transaction import Transaction
from ._version import VERSION

#: Returns a client for `async with`; its options are those of `Client`.
connect = Client

__all__ = [
    "VERSION",
    "Client",
    "Consumer",
    "Delivery",
    "DurableSubscription",
    "Gap",
    "LoggedOut",
    "Message",
    "Payload",
    "Position",
    "Presence",
    "PresenceMember",
    "PublishOptions",
    "Queue",
    "Reply",
    "SharedSubscription",
    "SluiceError",
    "Subscription",
    "Transaction",
    "connect",
]
