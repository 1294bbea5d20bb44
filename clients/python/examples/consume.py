"""Prints and acknowledges messages of a queue, or of a durable subscription of a topic:

python3 consume.py ws://localhost:8080/ws orders
python3 consume.py ws://localhost:8080/ws orders.eu desk-1
"""

from __future__ import annotations

import asyncio
import sys

import sluice


def write(*words: object) -> None:
    print(*words, flush=True)


def process(delivery: sluice.Delivery) -> None:
    """Replace `write` by the processing of the message; an exception releases it."""
    write("AGAIN" if delivery.redelivered is True else "MESSAGE", delivery.payload)


def on_state(state: str) -> None:
    if state != "pending":
        write(state.upper())


async def main(url: str, queue_or_topic: str, name: str | None = None) -> None:
    async with sluice.connect(url) as client:
        source = client.durable(queue_or_topic, name) if name else client.queue(queue_or_topic)
        async with source.consume(
            process, credit=10, on_state=on_state, on_error=lambda error: write(error.code)
        ):
            await asyncio.Event().wait()


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    try:
        asyncio.run(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        pass
