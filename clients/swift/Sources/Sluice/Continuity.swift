import Foundation

/// Position of a subscription: plain data that an app can store and use as a start later.
public struct Position: Codable, Equatable, Sendable {
  public var epoch: String
  public var offset: Int
  public var ids: [String]?
  public var since: Int?
  public var time: Int?
}

/// Start of a subscription.
public enum Start: Encodable, Equatable, Sendable {
  case now
  case snapshot
  case last(Int)
  case position(Position)

  private enum Key: String, CodingKey {
    case last
  }

  public func encode(to encoder: Encoder) throws {
    switch self {
    case .now:
      var container = encoder.singleValueContainer()
      try container.encode("now")
    case .snapshot:
      var container = encoder.singleValueContainer()
      try container.encode("snapshot")
    case .last(let count):
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(count, forKey: .last)
    case .position(let position):
      try position.encode(to: encoder)
    }
  }
}

extension Start {
  /// Returns the JSON value of `from`.
  func value() throws -> JSONValue {
    // A string or number alone is not a JSON document on older systems.
    let wrapped = try JSONEncoder().encode(["from": self])
    return try JSONDecoder().decode([String: JSONValue].self, from: wrapped)["from"] ?? .null
  }
}

/// Position, gap detection and duplicate detection of one subscription across connections:
/// PROTOCOL.md, section 8. It performs no I/O.
struct Continuity {
  private static let positionIds = 8
  private static let maxIds = 1_024
  private static let partitionDigits = 4
  private static let minOverlap = 16
  private static let maxOffset = 1 << 53

  /// Start of the next request, until messages of this connection supersede it.
  private var resume: Start
  private var epoch: String?
  private var offset = 0
  private var answerOffset = 0
  /// Identities of the position, newest last: the highest by partition if it is ordered.
  private var ids: [String] = []
  /// True if the source has offsets.
  private var isOrdered = false
  /// True if a position was recovered, so that no replayed message precedes it.
  private var isRecovered = false
  private var since: Int?
  private var time: Int?
  private var recent = RecentIds(limit: Continuity.minOverlap)
  private var overlap = Continuity.minOverlap
  /// Messages between the last two caught-up frames, and since the last one.
  private var countBefore = 0
  private var countSince = 0
  /// Number of replayed messages still to come.
  private var replayLeft = 0
  /// True if a message of this connection's replay has arrived, or there is no replay.
  private var hasReplayStarted = false
  private var inSnapshot = false
  /// True if the app has received a message or a gap.
  private var hasNotified = false

  init(from start: Start) {
    resume = start
    // The identities of a stored position are not among the recent ones yet.
    if case .position(let position) = start, let ids = position.ids {
      recent.limit = max(recent.limit, ids.count)
      for id in ids { _ = recent.insert(id) }
    }
  }

  var isAnswered: Bool { epoch != nil }

  /// Current position; nil while there is none from which to resume.
  var position: Position? {
    if case .position(let position) = next() { return position }
    return nil
  }

  /// Records a new request; returns its `from` value.
  mutating func subscribe() -> Start {
    resume = next()
    epoch = nil
    return resume
  }

  /// Records the node's answer. Returns the reason of the gap to report, if there is one.
  mutating func subscribed(
    epoch: String, offset: Int, ids latest: [String]?, replay: Int, recovered: Bool?, time: Int?,
    overlap: Int
  ) -> String? {
    var old: Position?
    if case .position(let position) = resume { old = position }
    isRecovered = old != nil && recovered == true
    let isLost = old != nil && !isRecovered
    let isCut = old == nil && hasNotified
    self.overlap = max(self.overlap, overlap)
    recent.limit = self.overlap
    if isLost || isCut { recent.removeAll() }
    inSnapshot = isLost || resume == .snapshot
    self.epoch = epoch
    self.offset = offset
    answerOffset = offset
    replayLeft = replay
    hasReplayStarted = replay == 0
    isOrdered = latest != nil
    ids = []
    if isRecovered, let old {
      since = old.since
      self.time = old.time
    } else {
      startStream(since: time)
    }
    for id in (isRecovered ? old?.ids : latest) ?? [] { _ = raise(id) }
    if isLost { return "not-recovered" }
    return isCut ? "snapshot-cut" : nil
  }

  /// Records a message; returns whether it is new and has to be delivered to the app.
  mutating func message(id: String, offset: Int) -> Bool {
    self.offset = offset
    let isNew = remember(id)
    if replayLeft > 0 {
      hasReplayStarted = true
      replayLeft -= 1
      if replayLeft == 0 { self.offset = answerOffset }
    }
    countSince += 1
    hasNotified = hasNotified || isNew
    return isNew
  }

  /// Records an unreadable message: the position passes it. Unreadable members are nil.
  mutating func unreadable(offset: Int?, id: String?) {
    if let id, Continuity.isId(id) { _ = remember(id) }
    let isLast = replayLeft == 1
    replayLeft = max(0, replayLeft - 1)
    if isLast {
      self.offset = answerOffset
      hasReplayStarted = true
    } else if let offset, offset >= 0, offset < Continuity.maxOffset {
      self.offset = offset
      hasReplayStarted = true
    } else if hasReplayStarted {
      self.offset += 1
    }
    countSince += 1
    hasNotified = true
  }

  /// Returns whether a text is the identity of a message: 16 hexadecimal digits.
  static func isId(_ text: String) -> Bool {
    text.count == 16 && text.allSatisfy { "0123456789abcdef".contains($0) }
  }

  /// Records a gap of the node, which ends a pending replay. With an epoch, another stream begins.
  mutating func gap(offset: Int, time: Int, epoch begun: String?, ids latest: [String]?) {
    if let begun {
      epoch = begun
      isOrdered = true
      ids = []
      for id in latest ?? [] { _ = raise(id) }
    }
    self.offset = offset
    startStream(since: time)
    replayLeft = 0
    hasReplayStarted = true
    hasNotified = true
  }

  /// Records a caught-up, which does not apply before the answer or during a replay.
  mutating func caughtUp(time: Int) {
    if epoch == nil || replayLeft > 0 { return }
    self.time = time
    countBefore = countSince
    countSince = 0
  }

  private mutating func startStream(since: Int?) {
    self.since = since
    time = nil
    countBefore = 0
    countSince = 0
  }

  private func next() -> Start {
    if epoch != nil && replayLeft > 0 && inSnapshot { return .snapshot }
    guard let epoch, hasReplayStarted else { return resume }
    // Otherwise more messages could be repeated than are remembered.
    let isTimeSafe = countBefore + countSince <= overlap / 2
    return .position(
      Position(
        epoch: epoch, offset: offset, ids: ids.isEmpty ? nil : ids, since: since,
        time: isTimeSafe ? time : nil))
  }

  /// Remembers an identity; returns whether it was new.
  private mutating func remember(_ id: String) -> Bool {
    let isLater = raise(id)
    // A replay without a recovered position precedes the ids of its answer.
    if isOrdered { return isLater || (replayLeft > 0 && !isRecovered) }
    return recent.insert(id)
  }

  /// Adds an identity to the position; returns whether it is the highest one of its key.
  private mutating func raise(_ id: String) -> Bool {
    let key = isOrdered ? String(id.prefix(Continuity.partitionDigits)) : id
    let known = ids.firstIndex { $0.hasPrefix(key) }.map { ids.remove(at: $0) }
    ids.append(max(known ?? "", id))
    let limit = isOrdered ? Continuity.maxIds : Continuity.positionIds
    if ids.count > limit { ids.removeFirst() }
    return id > known ?? ""
  }
}

/// Latest message identities: at least `limit` of them, fewer than twice as many. New ones are added
/// to the younger set; when that is full, it replaces the older one.
struct RecentIds {
  var limit: Int
  private var younger: Set<String> = []
  private var older: Set<String> = []

  init(limit: Int) {
    self.limit = limit
  }

  /// Adds an identity; returns whether it was new.
  mutating func insert(_ id: String) -> Bool {
    let isKnown = younger.contains(id) || older.contains(id)
    younger.insert(id)
    if younger.count >= limit {
      older = younger
      younger = []
    }
    return !isKnown
  }

  mutating func removeAll() {
    younger = []
    older = []
  }
}
