import Foundation
import XCTest

@testable import Sluice

/// Runs the scenarios of docs/protocol/continuity.json.
final class ContinuityTests: XCTestCase {
  private struct Scenarios: Decodable {
    struct Scenario: Decodable {
      let name: String
      let asks: [String: JSONValue]
      let steps: [[String: JSONValue]]
    }

    let scenarios: [Scenario]
  }

  func testShouldPassAllScenarios() throws {
    let file = URL(fileURLWithPath: #filePath)
      .appendingPathComponent("../../../../../docs/protocol/continuity.json").standardized
    let all = try JSONDecoder().decode(Scenarios.self, from: Data(contentsOf: file)).scenarios
    XCTAssertGreaterThan(all.count, 40)
    for scenario in all {
      var player = Player(name: scenario.name, start: try start(scenario.asks["from"]))
      for step in scenario.steps {
        for (name, value) in step { try player.play(name, value) }
      }
      XCTAssertEqual(player.actions, [], scenario.name)
    }
  }

  private func start(_ value: JSONValue?) throws -> Start {
    switch value {
    case .some(.string("snapshot")): return .snapshot
    case .some(.object(let members)):
      if case .some(.integer(let count)) = members["last"] { return .last(count) }
      return .position(try convert(.object(members), to: Position.self))
    default: return .now
    }
  }
}

/// Converts a value through JSON.
private func convert<Value: Decodable>(_ value: JSONValue, to type: Value.Type) throws -> Value {
  try JSONDecoder().decode(type, from: JSONEncoder().encode(value))
}

/// Plays one scenario; records the client's actions until the scenario expects them.
private struct Player {
  let name: String
  var continuity: Continuity
  var actions: [[String: JSONValue]] = []
  var overlap = 0

  init(name: String, start: Start) {
    self.name = name
    continuity = Continuity(from: start)
  }

  mutating func play(_ step: String, _ value: JSONValue) throws {
    switch step {
    case "position":
      let expected = value == .null ? nil : try convert(value, to: Position.self)
      XCTAssertEqual(continuity.position, expected, name)
    case "subscribe", "gap", "deliver", "drop":
      XCTAssertEqual(actions.isEmpty ? nil : actions.removeFirst(), [step: value], name)
    case "connect":
      overlap = try convert(value, to: Frame.Limits.self).overlap
      let from = continuity.subscribe()
      actions.append(["subscribe": .object(from == .now ? [:] : ["from": try from.value()])])
    case "receive":
      try receive(convert(value, to: Frame.self))
    default:
      XCTAssertEqual(step, "disconnect", name)
    }
  }

  private mutating func receive(_ frame: Frame) throws {
    switch frame.type {
    case "subscribed":
      let gap = continuity.subscribed(
        epoch: try XCTUnwrap(frame.epoch), offset: try XCTUnwrap(frame.offset),
        ids: frame.ids, replay: frame.replay ?? 0, recovered: frame.recovered, time: frame.time,
        overlap: overlap)
      if let gap { actions.append(["gap": .string(gap)]) }
    case "message":
      let id = try XCTUnwrap(frame.id)
      let isNew = continuity.message(id: id, offset: try XCTUnwrap(frame.offset))
      actions.append([isNew ? "deliver" : "drop": .string(id)])
    case "gap":
      continuity.gap(
        offset: try XCTUnwrap(frame.offset), time: try XCTUnwrap(frame.time), epoch: frame.epoch,
        ids: frame.ids)
      actions.append(["gap": .string(try XCTUnwrap(frame.reason))])
    default:
      continuity.caughtUp(time: try XCTUnwrap(frame.time))
    }
  }
}
