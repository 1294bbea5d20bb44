"""Reads and writes the frames of docs/protocol/golden.json."""

from __future__ import annotations

import base64
import json
import unittest
from pathlib import Path
from typing import Any

from sluice._binary import BinaryDecoder, Offsets, to_binary, to_text
from sluice._frames import BadFrame, Frame, parse

GOLDEN = Path(__file__).resolve().parents[3] / "docs" / "protocol" / "golden.json"
NODE_TIME = 1_763_700_000_500.7


def sections(*names: str) -> list[dict[str, Any]]:
    golden = json.loads(GOLDEN.read_text())
    return [frame for name in names for frame in golden[name]]


def as_json(frame: Frame | None) -> dict[str, Any]:
    """Returns the members with bytes as base64, as in JSON."""
    assert frame
    members = dict(frame.members)
    if isinstance(members["payload"], bytes):
        members["payload"] = base64.b64encode(members["payload"]).decode()
        members["encoding"] = "base64"
    return members


class GoldenFramesTest(unittest.TestCase):
    def test_should_decode_messages(self) -> None:
        for golden in sections("messages", "tagged"):
            with self.subTest(golden["name"]):
                expected = json.loads(golden["json"])
                binary = bytes.fromhex(golden["binary"])
                channel = int.from_bytes(binary[1:4], "big")
                decoder = BinaryDecoder()
                topic = expected.get("pattern", expected["topic"])
                subscribed = {"type": "subscribed", "topic": topic, "offset": expected["offset"] - 1}
                if "ref" in expected:
                    subscribed |= {"ref": expected["ref"], "tagged": True}
                if "pattern" not in expected:
                    subscribed["channel"] = channel
                decoder.observe(Frame(subscribed))
                if "pattern" in expected:
                    route = {"pattern": topic, "topic": expected["topic"]}
                    decoder.observe(Frame({"type": "channel", "channel": channel, **route}))
                self.assertEqual(as_json(decoder.decode(binary, NODE_TIME)), expected)

    def test_should_decode_deliveries(self) -> None:
        for golden in sections("deliveries"):
            with self.subTest(golden["name"]):
                expected = json.loads(golden["json"])
                decoder = BinaryDecoder()
                if "tag" in expected:
                    ref, tag = expected["ref"], expected["tag"] - 1
                    decoder.observe(Frame({"type": "consuming", "ref": ref}))
                    decoder.observe(Frame({"type": "delivery", "ref": ref, "tag": tag}))
                decoded = decoder.decode(bytes.fromhex(golden["binary"]), NODE_TIME)
                self.assertEqual(as_json(decoded), expected)

    def test_should_encode_publishes(self) -> None:
        for golden in sections("clientBinary", "publishesBinary"):
            with self.subTest(golden["name"]):
                payload = golden.get("payload") or bytes.fromhex(golden["payloadHex"])
                topic = {"topic": golden["topic"]} if "topic" in golden else {}
                frame = {"type": "publish", "ref": golden["ref"], **topic, "payload": payload}
                binary = to_binary({**frame, **golden.get("members", {})})
                assert binary
                self.assertEqual(binary.hex(), golden["binary"])

    def test_should_read_text_frames(self) -> None:
        for golden in sections("server", "replies", "queues", "presence"):
            with self.subTest(golden["name"]):
                frame = parse(golden["text"])
                BinaryDecoder().observe(frame)
                self.assertEqual(frame.members, json.loads(golden["text"]))


class BinaryTest(unittest.TestCase):
    def test_should_encode_other_frames_as_text(self) -> None:
        publish: dict[str, Any] = {"type": "publish", "ref": 1, "topic": "a", "payload": b"\1"}
        self.assertIsNotNone(to_binary(publish))
        members = {"type": "publish", "ref": 1, "topic": "a", "payload": "AQ=="}
        self.assertEqual(json.loads(to_text(publish)), {**members, "encoding": "base64"})
        for change in (
            {"ref": 1 << 32},
            {"topic": "a" * 65_536},
            {"properties": {"p": "x" * 65_536}},
            {"type": "request"},
            {"payload": {"a": 1}, "encoding": "json"},
        ):
            self.assertIsNone(to_binary({**publish, **change}))

    def test_should_reject_short_frames_and_unknown_channels(self) -> None:
        decoder = BinaryDecoder()
        self.assertIsNone(decoder.decode(b"\x0f\0", NODE_TIME))
        decoder.observe(Frame({"type": "subscribed", "topic": "a", "offset": 1, "channel": 8}))
        for frame, text in (
            ("", "binary frame is too short: 0 bytes"),
            ("02000000", "binary frame is too short: 4 bytes"),
            ("01000007" + "00" * 16, "binary message on the unknown channel 7"),
            ("41000008" + "00" * 16 + "0009", "binary frame is too short: 22 bytes"),
            ("01000008" + "00" * 16 + "ff", "binary frame has an invalid payload"),
        ):
            with self.assertRaises(BadFrame) as caught:
                decoder.decode(bytes.fromhex(frame), NODE_TIME)
            self.assertIn(text, str(caught.exception))

    def test_should_widen_offsets(self) -> None:
        replay = Offsets(0x1_0000_0001, 3)
        lows = (0xFFFFFFFF, 0, 1, 2, 1)
        wide = [0xFFFFFFFF, 0x1_0000_0000, 0x1_0000_0001, 0x1_0000_0002, 0x2_0000_0001]
        self.assertEqual([replay.widen(low) for low in lows], wide)
        self.assertEqual(Offsets(7).widen(7), 0x1_0000_0007)


if __name__ == "__main__":
    unittest.main()
