"""Prints and acknowledges messages of a queue: python3 consume.py ws://localhost:8080/ws orders"""

import asyncio
import sys

from sluice import Client, decode


def write(*words: object) -> None:
    print(*words, flush=True)


def process(delivery: dict) -> str:
    """Returns the settlement. Replace `write` by the processing of the message."""
    write("AGAIN" if delivery.get("redelivered") else "MESSAGE", decode(delivery))
    return "ack"


async def main(url: str, queue: str) -> None:
    client = Client(url)
    client.consume(queue, process, credit=10, on_state=lambda state: write(state.upper()))
    await client.run()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        asyncio.run(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        pass
