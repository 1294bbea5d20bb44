"""Client of CompressionClientsIT: checks the checksums of messages, with `websockets` or `aiohttp`.

Usage: compression_reader.py websockets|aiohttp URL TOPIC LAST

It connects again after a random number of messages until it has received message LAST. Exit code 1
if a message is changed.
"""

import asyncio
import json
import random
import re
import sys
import zlib
from contextlib import asynccontextmanager

KIND, URL, TOPIC, LAST = sys.argv[1:]
PAYLOAD = re.compile(r"SEQ=(\d+) CRC=(\d+) (.*)", re.DOTALL)
SUBPROTOCOL = "sluice.v1.json"
result = {"connections": 0, "messages": 0, "extensions": ""}


@asynccontextmanager
async def connected():
    """Yields a function that sends text, and an iterator of received text."""
    if KIND == "websockets":
        from websockets.asyncio.client import connect
        from websockets.exceptions import ConnectionClosed

        async def texts(socket):
            try:
                async for text in socket:
                    yield text
            except ConnectionClosed:
                return

        async with connect(URL, subprotocols=[SUBPROTOCOL], max_size=None) as socket:
            result["extensions"] = str(socket.protocol.extensions)
            yield socket.send, texts(socket)
    else:
        import aiohttp

        async def texts(socket):
            async for message in socket:
                if message.type != aiohttp.WSMsgType.TEXT:
                    raise RuntimeError(f"received {message}")
                yield message.data

        async with aiohttp.ClientSession() as session:
            options = {"protocols": [SUBPROTOCOL], "compress": 15, "max_msg_size": 0}
            async with session.ws_connect(URL, **options) as socket:
                result["extensions"] = f"compress={socket.compress}"
                yield socket.send_str, texts(socket)


async def read() -> None:
    position = None
    while True:
        result["connections"] += 1
        left = random.randrange(1, 4000)
        epoch = None
        async with connected() as (send, texts):
            start = position if position and random.random() < 0.75 else {"last": 50}
            frame = {"type": "subscribe", "ref": 1, "topic": TOPIC, "from": start}
            await send(json.dumps(frame))
            async for text in texts:
                frame = json.loads(text)
                if frame["type"] == "subscribed":
                    epoch = frame["epoch"]
                if frame["type"] != "message":
                    continue
                number, checksum, content = PAYLOAD.fullmatch(frame["payload"]).groups()
                if zlib.crc32(content.encode()) != int(checksum):
                    sys.exit(f"message {number} is changed: {frame['payload']}")
                result["messages"] += 1
                position = {"epoch": epoch, "offset": frame["offset"], "ids": []}
                if number == LAST:
                    return
                left -= 1
                if left == 0:
                    break


asyncio.run(read())
print(json.dumps(result))
