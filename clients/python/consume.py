"""Prints and acknowledges messages of a queue, or of a durable subscription of a topic:

python3 consume.py ws://localhost:8080/ws orders
python3 consume.py ws://localhost:8080/ws orders.eu desk-1
"""

from __future__ import annotations

import asyncio
import sys

from sluice import Client, decode


def write(*words: object) -> None:
    print(*words, flush=True)


def process(delivery: dict) -> str:
    """Returns the settlement. Replace `write` by the processing of the message."""
    write("AGAIN" if delivery.get("redelivered") else "MESSAGE", decode(delivery))
    return "ack"


async def main(url: str, queue_or_topic: str, name: str | None = None) -> None:
    client = Client(url)
    source = {"topic": queue_or_topic, "durable": name} if name else queue_or_topic
    client.consume(source, process, credit=10, on_state=lambda state: write(state.upper()))
    await client.run()


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        asyncio.run(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        pass
