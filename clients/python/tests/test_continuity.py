"""Runs the scenarios of docs/protocol/continuity.json: PYTHONPATH=src python3 -m unittest."""

from __future__ import annotations

import itertools
import json
import struct
import unittest
from pathlib import Path
from typing import Any

from sluice._binary import BinaryDecoder
from sluice._close_codes import AfterClose, after_close, backoff
from sluice._continuity import Continuity
from sluice._frames import BadFrame, Frame, parse

SCENARIOS = Path(__file__).resolve().parents[3] / "docs" / "protocol" / "continuity.json"
CHANNEL = 5


class Player:
    """Plays one scenario; records the client's actions until the scenario expects them."""

    def __init__(
        self, test: unittest.TestCase, options: dict[str, Any], is_binary: bool
    ) -> None:
        self._is_binary = is_binary
        self._decoder = BinaryDecoder()
        self.test = test
        self.actions: list[dict[str, Any]] = []
        self.overlap = 0
        self.continuity = Continuity(options.get("from"))

    def play(self, step: dict[str, Any]) -> None:
        ((name, value),) = step.items()
        if name == "position":
            self.test.assertEqual(self.continuity.position, value)
        elif name in ("subscribe", "gap", "deliver", "drop"):
            self.test.assertEqual(self.actions.pop(0), step)
        else:
            self.test.assertEqual(self.actions, [])
            self.apply(name, value)

    def apply(self, name: str, value: Any) -> None:
        if name == "connect":
            self._decoder = BinaryDecoder()
            self.overlap = value["overlap"]
            start = self.continuity.subscribe()
            self.actions.append({"subscribe": {} if start is None else {"from": start}})
        elif name == "receive":
            self.receive(self.decoded(Frame(value)))
        else:
            self.test.assertEqual(name, "disconnect")

    def decoded(self, frame: Frame) -> Frame:
        """Returns the frame as it arrives in the encoding."""
        if not self._is_binary:
            return frame
        if frame.kind != "message":
            self._decoder.observe(Frame({**frame.members, "channel": CHANNEL}))
            return frame
        low, time = frame.number("offset") & 0xFFFFFFFF, frame.number("time") & 0xFFFFFFFF
        header = struct.pack("!IIQI", 1 << 24 | CHANNEL, low, int(frame.id(), 16), time)
        binary = header + frame.text("payload").encode()
        decoded = self._decoder.decode(binary, frame.number("time"))
        assert decoded
        self.test.assertEqual(decoded.members, frame.members)
        return decoded

    def receive(self, frame: Frame) -> None:
        reason = None
        if frame.kind == "subscribed":
            reason = self.continuity.subscribed(frame, self.overlap)
        elif frame.kind == "message":
            action = "deliver" if self.continuity.message(frame) else "drop"
            self.actions.append({action: frame.id()})
        elif frame.kind == "gap":
            reason = self.continuity.gap(frame)
        else:
            self.continuity.caught_up(frame.number("time"))
        if reason:
            self.actions.append({"gap": reason})


class ContinuityTest(unittest.TestCase):
    def test_should_pass_all_scenarios(self) -> None:
        scenarios = json.loads(SCENARIOS.read_text())["scenarios"]
        self.assertGreater(len(scenarios), 40)
        for scenario, is_binary in itertools.product(scenarios, (False, True)):
            with self.subTest(scenario["name"], is_binary=is_binary):
                player = Player(self, scenario["asks"], is_binary)
                for step in scenario["steps"]:
                    player.play(step)
                self.assertEqual(player.actions, [])


class CloseCodeTest(unittest.TestCase):
    def test_should_map_close_codes_to_actions(self) -> None:
        bands = {
            AfterClose.RETRY: (1000, 1001, 1002, 1009, 1011, 3000, 4000, 4099, 4202, 4206, 4299),
            AfterClose.RETRY_ELSEWHERE: (4100, 4101, 4199),
            AfterClose.DONT_RETRY: (4200, 4201, 4203, 4204, 4205),
        }
        for expected, codes in bands.items():
            for code in codes:
                self.assertEqual(after_close(code), expected, code)

    def test_should_double_the_delay_up_to_the_maximum(self) -> None:
        for failures, bound in ((0, 0.5), (1, 0.5), (2, 1), (3, 2), (10_000, 30)):
            waits = [backoff(failures, 0.5, 30) for _ in range(1_000)]
            self.assertLessEqual(max(waits), bound)
            self.assertGreater(max(waits), bound / 2)


class FrameTest(unittest.TestCase):
    def test_should_name_the_invalid_member(self) -> None:
        frame = parse(
            '{"type":"message","offset":"7","id":"xyz","ids":[7],"flag":1,"ref":true,"a":{}}'
        )
        for call, text in (
            (lambda: frame.number("offset"), 'message: offset must be an integer, not "7"'),
            (lambda: frame.text("topic"), "message: topic must be a string, not absent"),
            (lambda: frame.flag("flag"), "message: flag must be a boolean, not 1"),
            (lambda: frame.ref, "message: ref must be an integer, not true"),
            (frame.id, 'message: id must be 16 hexadecimal digits, not "xyz"'),
            (frame.ids, "message: ids must be a list of 16 hexadecimal digits each, not [7]"),
            (lambda: frame.object("a").number("b"), "message: a: b must be an integer, not absent"),
        ):
            with self.assertRaises(BadFrame) as caught:
                call()
            self.assertEqual(str(caught.exception), text)

    def test_should_require_an_object_with_a_type(self) -> None:
        for text in ("[]", "{}", "{", '{"type":1}', "[" * 100_000):
            with self.assertRaises(BadFrame):
                parse(text)


if __name__ == "__main__":
    unittest.main()
