"""Prints messages: python3 show.py ws://localhost:8080/ws stocks.7"""

import asyncio
import sys

from sluice import Client, decode


def write(*words: object) -> None:
    print(*words, flush=True)


async def main(url: str, *topics: str) -> None:
    client = Client(url)
    for topic in topics:
        client.subscribe(
            topic,
            on_message=lambda message: write("MESSAGE", decode(message)),
            on_gap=lambda reason: write("GAP", reason),
            on_state=lambda state: write(state.upper()),
        )
    await client.run()


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        asyncio.run(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        pass
