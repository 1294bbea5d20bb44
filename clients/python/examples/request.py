"""Sends a request to a queue and prints the reply, without a coroutine of the application:

python3 request.py ws://localhost:8080/ws quotes EURUSD
"""

import asyncio
import sys

import sluice


async def request(url: str, queue: str, payload: str) -> sluice.Reply:
    async with sluice.connect(url) as client:
        return await client.queue(queue).request(payload)


def main(url: str, queue: str, payload: str) -> None:
    try:
        print("REPLY", asyncio.run(request(url, queue, payload)).payload)
    except sluice.SluiceError as error:
        print("REFUSED", error.code, error)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
