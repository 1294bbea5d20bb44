"""Prints messages; several addresses are separated by commas:

python3 show.py ws://localhost:8080/ws stocks.7
"""

import asyncio
import sys

import sluice


def write(*words: object) -> None:
    print(*words, flush=True)


def on_state(state: str) -> None:
    if state != "pending":
        write("SUBSCRIBED" if state == "live" else state.upper())


async def show(client: sluice.Client, topic: str) -> None:
    async for event in client.subscribe(topic, on_state=on_state).events():
        if isinstance(event, sluice.Gap):
            write("GAP", event.reason)
        else:
            write("MESSAGE", event.payload)


async def main(url: str, *topics: str) -> None:
    async with sluice.connect(url.split(",")) as client:
        await asyncio.gather(*(show(client, topic) for topic in topics))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        asyncio.run(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        pass
