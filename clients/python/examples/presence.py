"""Enters a topic and prints who is in it:

python3 presence.py ws://localhost:8080/ws room.1 Ann
"""

from __future__ import annotations

import asyncio
import sys

import sluice


def show(presence: sluice.Presence) -> None:
    names = sorted(str(member.info) for member in presence.members or [])
    print("PRESENT", presence.count, *names, flush=True)


async def main(url: str, topic: str, name: str) -> None:
    async with sluice.connect(url) as client:
        try:
            async with await client.presence(topic, info=name, on_change=show):
                await asyncio.Event().wait()
        except sluice.SluiceError as error:
            print("REFUSED", error.code, error, flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    try:
        asyncio.run(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        pass
