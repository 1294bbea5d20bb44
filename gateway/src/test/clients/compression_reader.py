"""Client of CompressionClientsIT: checks messages, with `websockets` or `aiohttp`.

Usage: compression_reader.py websockets|aiohttp URL TOPIC MESSAGES READERS SLOW

Each of READERS connections receives its part of MESSAGES. It connects again after a random number
of messages, mostly from its position. The first SLOW of them stop reading at times. Exit code 1 if
a message is changed or missing.
"""

import asyncio
import json
import random
import re
import sys
import zlib
from contextlib import asynccontextmanager

KIND, URL, TOPIC = sys.argv[1:4]
MESSAGES, READERS, SLOW = map(int, sys.argv[4:])
PAYLOAD = re.compile(r"SEQ=(\d+) CRC=(\d+) (.*)", re.DOTALL)
SUBPROTOCOL = "sluice.v1.json"
result = {"messages": 0, "connections": 0, "resumes": 0, "gaps": 0, "extensions": ""}


@asynccontextmanager
async def with_websockets(slow):
    from websockets.asyncio.client import connect
    from websockets.exceptions import ConnectionClosed

    async def texts(socket):
        try:
            async for text in socket:
                yield text
        except ConnectionClosed as e:
            check_close(e.rcvd.code if e.rcvd else 1006, slow)

    async with connect(URL, subprotocols=[SUBPROTOCOL], max_size=None) as socket:
        result["extensions"] = str(socket.protocol.extensions)
        yield socket.send, texts(socket)


@asynccontextmanager
async def with_aiohttp(slow):
    import aiohttp

    async def texts(socket):
        async for message in socket:
            if message.type != aiohttp.WSMsgType.TEXT:
                if slow and isinstance(message.data, ConnectionError):
                    return
                raise RuntimeError(f"received {message}")
            yield message.data
        if socket.close_code is not None:
            check_close(socket.close_code, slow)

    async with aiohttp.ClientSession() as session:
        options = {"protocols": [SUBPROTOCOL], "compress": 15, "max_msg_size": 0}
        async with session.ws_connect(URL, **options) as socket:
            result["extensions"] = f"compress={socket.compress}"
            yield socket.send_str, texts(socket)


def check_close(code, slow):
    # The node resets a connection that is not read.
    if code not in ((1000, 4000, 1006) if slow else (1000, 4000)):
        raise RuntimeError(f"closed with {code}")


class Reader:
    """One client that connects again and again."""

    def __init__(self, slow):
        self.slow = slow
        self.left = -(-MESSAGES // READERS)
        self.most = max(2, min(4000, self.left // 4))
        self.position = None

    async def read(self):
        while self.left > 0:
            await self.connect()

    def start(self):
        if self.position and random.random() < 0.75:
            result["resumes"] += 1
            return self.position
        return random.choice(["snapshot", {"last": 50}])

    async def connect(self):
        connected = with_websockets if KIND == "websockets" else with_aiohttp
        end = max(0, self.left - random.randrange(1, self.most))
        epoch = expected = None
        async with connected(self.slow) as (send, texts):
            result["connections"] += 1
            frame = {"type": "subscribe", "ref": 1, "topic": TOPIC, "from": self.start()}
            await send(json.dumps(frame))
            async for text in texts:
                frame = json.loads(text)
                if frame["type"] == "error":
                    raise RuntimeError(text)
                if frame["type"] == "subscribed":
                    epoch = frame["epoch"]
                if frame["type"] == "gap":
                    result["gaps"] += 1
                    expected = None
                if frame["type"] != "message":
                    continue
                offset = frame["offset"]
                if expected not in (None, offset):
                    raise RuntimeError(f"offset {offset} instead of {expected}")
                expected = offset + 1
                check(frame["payload"])
                self.position = {"epoch": epoch, "offset": offset, "ids": []}
                self.left -= 1
                if self.left == end:
                    return
                if self.slow and random.random() < 0.0005:
                    await asyncio.sleep(random.random() * 1.5)


def check(payload):
    number, checksum, content = PAYLOAD.fullmatch(payload).groups()
    if zlib.crc32(content.encode()) != int(checksum):
        raise RuntimeError(f"message {number} is changed: {payload}")
    result["messages"] += 1


async def main():
    await asyncio.gather(*(Reader(i < SLOW).read() for i in range(READERS)))


asyncio.run(main())
print(json.dumps(result))
