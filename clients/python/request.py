"""Sends a request to a queue and prints the reply:

python3 request.py ws://localhost:8080/ws quotes EURUSD
"""

import asyncio
import sys

from sluice import Client, Refused, decode
from websocket import Closed

#: Milliseconds until the node gives up.
TIMEOUT = 5_000
#: Seconds between attempts to reach the node.
WAIT = 0.1


async def main(url: str, queue: str, payload: str) -> None:
    client = Client(url)
    running = asyncio.create_task(client.run())
    request = {"type": "request", "queue": queue, "payload": payload, "timeout": TIMEOUT}
    while not client.is_connected:
        await asyncio.sleep(WAIT)
    try:
        print("REPLY", decode(await client.call(request)))
    except Refused as refused:
        print("REFUSED", refused.code, refused)
    except Closed as closed:
        print("UNKNOWN", closed)
    running.cancel()


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    asyncio.run(main(*sys.argv[1:]))
