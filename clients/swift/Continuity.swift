/// Where a subscription stands: plain data that an app can keep, and subscribe from later.
public struct Position: Codable, Equatable, Sendable {
  public var epoch: String
  public var offset: Int
  public var ids: [String]?
  public var since: Int?
  public var time: Int?
}

/// Where a subscription begins.
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

/// What one subscription keeps across connections, so that no message is missed in silence and none
/// comes twice: PROTOCOL.md, section 8. It does no I/O: it is told what comes.
struct Continuity {
  private static let keptIds = 8
  private static let leastOverlap = 16

  /// With what to subscribe next, until this connection's messages say otherwise.
  private var resume: Start
  private var epoch: String?
  private var offset = 0
  private var answerOffset = 0
  private var ids: [String] = []
  private var since: Int?
  private var time: Int?
  private var recent = RecentIds(limit: Continuity.leastOverlap)
  private var overlap = Continuity.leastOverlap
  /// Messages between the latest caught-up and the one before, and since the latest.
  private var sinceEarlier = 0
  private var sinceLatest = 0
  /// Replayed messages that are still to come.
  private var replayLeft = 0
  /// Something of this connection's replay has come, or there is none.
  private var replayBegun = false
  private var inSnapshot = false
  /// The app was given a message, or told of a gap.
  private var told = false

  init(from start: Start) {
    resume = start
  }

  var isAnswered: Bool { epoch != nil }

  /// What is to be kept now; nil while there is nothing to which one could return.
  var position: Position? {
    if case .position(let position) = next() { return position }
    return nil
  }

  /// A new connection stands: returns the value of `from`.
  mutating func subscribe() -> Start {
    resume = next()
    epoch = nil
    return resume
  }

  /// The node has answered. Returns why the app has to be told of a gap, if it has to.
  mutating func subscribed(
    epoch: String, offset: Int, replay: Int, recovered: Bool?, time: Int?, overlap: Int
  ) -> String? {
    var old: Position?
    if case .position(let position) = resume { old = position }
    let isRecovered = old != nil && recovered == true
    let isLost = old != nil && !isRecovered
    let isCut = old == nil && told
    self.overlap = max(self.overlap, overlap)
    recent.limit = self.overlap
    if isLost || isCut { recent.removeAll() }
    inSnapshot = isLost || resume == .snapshot
    self.epoch = epoch
    self.offset = offset
    answerOffset = offset
    replayLeft = replay
    replayBegun = replay == 0
    ids = []
    if isRecovered, let old {
      since = old.since
      self.time = old.time
      // Those of a position that the app has kept are not among the recent ones yet.
      for id in old.ids ?? [] { _ = remember(id) }
    } else {
      beginStream(since: time)
    }
    if isLost { return "not-recovered" }
    return isCut ? "snapshot-cut" : nil
  }

  /// A message has come; returns whether it is new, and to be given to the app.
  mutating func message(id: String, offset: Int) -> Bool {
    self.offset = offset
    if replayLeft > 0 {
      replayBegun = true
      replayLeft -= 1
      if replayLeft == 0 { self.offset = answerOffset }
    }
    sinceLatest += 1
    let isNew = remember(id)
    told = told || isNew
    return isNew
  }

  /// The node tells of a gap, which ends a replay that is under way.
  mutating func gap(offset: Int, time: Int) {
    self.offset = offset
    beginStream(since: time)
    replayLeft = 0
    replayBegun = true
    told = true
  }

  /// A caught-up has come. It says nothing of what is not answered, or still replayed.
  mutating func caughtUp(time: Int) {
    if epoch == nil || replayLeft > 0 { return }
    self.time = time
    sinceEarlier = sinceLatest
    sinceLatest = 0
  }

  private mutating func beginStream(since: Int?) {
    self.since = since
    time = nil
    sinceEarlier = 0
    sinceLatest = 0
  }

  private func next() -> Start {
    guard let epoch, replayBegun else { return resume }
    if replayLeft > 0 && inSnapshot { return .snapshot }
    // Otherwise more could be sent again than is remembered.
    let isTimeSafe = sinceEarlier + sinceLatest <= overlap / 2
    return .position(
      Position(
        epoch: epoch, offset: offset, ids: ids.isEmpty ? nil : ids, since: since,
        time: isTimeSafe ? time : nil))
  }

  /// Returns whether the identity was unknown.
  private mutating func remember(_ id: String) -> Bool {
    ids.removeAll { $0 == id }
    ids = (ids + [id]).suffix(Continuity.keptIds)
    return recent.insert(id)
  }
}

/// At least `limit` of the latest identities, less than twice as many: what is new goes into the
/// younger set, and when that is full the older one is emptied and takes its place.
struct RecentIds {
  var limit: Int
  private var younger: Set<String> = []
  private var older: Set<String> = []

  init(limit: Int) {
    self.limit = limit
  }

  /// Returns whether it was unknown.
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
