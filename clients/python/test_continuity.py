"""Runs the scenarios of docs/protocol/continuity.json: python3 -m unittest, in this folder."""

import json
import unittest
from pathlib import Path

from continuity import Continuity
from sluice import DONT_RETRY, RETRY, RETRY_ELSEWHERE, after_close, backoff

SCENARIOS = Path(__file__).resolve().parents[2] / "docs" / "protocol" / "continuity.json"


class Player:
    """Plays one scenario; records the client's actions until the scenario expects them."""

    def __init__(self, test: unittest.TestCase, options: dict) -> None:
        self.test = test
        self.actions = []
        self.overlap = 0
        self.continuity = Continuity(
            options.get("from"),
            on_message=lambda message: self.actions.append({"deliver": message["id"]}),
            on_gap=lambda reason: self.actions.append({"gap": reason}),
        )

    def play(self, step: dict) -> None:
        ((name, value),) = step.items()
        if name == "position":
            self.test.assertEqual(self.continuity.position, value)
        elif name in ("subscribe", "gap", "deliver", "drop"):
            self.test.assertEqual(self.actions.pop(0), step)
        else:
            self.test.assertEqual(self.actions, [])
            self.apply(name, value)

    def apply(self, name: str, value: object) -> None:
        if name == "connect":
            self.overlap = value["overlap"]
            start = self.continuity.subscribe()
            self.actions.append({"subscribe": {} if start is None else {"from": start}})
        elif name == "receive":
            self.receive(value)
        else:
            self.test.assertEqual(name, "disconnect")

    def receive(self, frame: dict) -> None:
        if frame["type"] == "subscribed":
            self.continuity.subscribed(frame, self.overlap)
        elif frame["type"] == "message":
            if not self.continuity.message(frame):
                self.actions.append({"drop": frame["id"]})
        elif frame["type"] == "gap":
            self.continuity.gap(frame)
        else:
            self.continuity.caught_up(frame["time"])


class ContinuityTest(unittest.TestCase):
    def test_should_pass_all_scenarios(self):
        scenarios = json.loads(SCENARIOS.read_text())["scenarios"]
        self.assertGreater(len(scenarios), 40)
        for scenario in scenarios:
            with self.subTest(scenario["name"]):
                player = Player(self, scenario["asks"])
                for step in scenario["steps"]:
                    player.play(step)
                self.assertEqual(player.actions, [])


class CloseCodeTest(unittest.TestCase):
    def test_should_map_close_codes_to_actions(self):
        bands = {
            RETRY: (1000, 1001, 1005, 1006, 1011, 1014, 4000, 4099),
            RETRY_ELSEWHERE: (4100, 4101, 4199),
            DONT_RETRY: (1002, 1003, 1007, 1009, 1010, 4200, 4203, 4299),
        }
        for expected, codes in bands.items():
            for code in codes:
                self.assertEqual(after_close(code), expected, code)

    def test_should_double_the_delay_up_to_the_maximum(self):
        for failures, bound in ((0, 0.5), (1, 0.5), (2, 1), (3, 2), (100, 30)):
            waits = [backoff(failures) for _ in range(1_000)]
            self.assertLessEqual(max(waits), bound)
            self.assertGreater(max(waits), bound / 2)


if __name__ == "__main__":
    unittest.main()
