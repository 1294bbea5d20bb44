import Foundation

/// JSON payload of a message.
public enum JSONValue: Decodable, Sendable {
  case string(String)
  case number(Double)
  case bool(Bool)
  case array([JSONValue])
  case object([String: JSONValue])
  case null

  public init(from decoder: Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }
}

/// Frame from the node; its members depend on its type (PROTOCOL.md, section 4).
struct Frame: Decodable {
  struct Limits: Decodable {
    let overlap: Int
  }

  let type: String
  let ref: Int?
  let topic: String?
  let pattern: String?
  let epoch: String?
  let offset: Int?
  let replay: Int?
  let recovered: Bool?
  let time: Int?
  let id: String?
  let encoding: String?
  let payload: JSONValue?
  let reason: String?
  let code: String?
  let pingInterval: Int?
  let limits: Limits?
}

/// Message as delivered to the app.
public struct Message: Sendable {
  public enum Content: Sendable {
    case text(String)
    case bytes(Data)
    case json(JSONValue)
  }

  public let topic: String
  public let id: String
  /// Time at which the broker accepted it, milliseconds since 1970.
  public let time: Int
  public let content: Content
}

/// Callbacks of one subscription; calls are sequential.
public protocol SubscriptionObserver: Sendable {
  func onMessage(_ message: Message)
  /// Messages may be missing here. After `not-recovered` and `snapshot-cut` the newest messages
  /// are sent again, and the app starts over.
  func onGap(_ reason: String)
  /// The subscription was refused; it is requested again on the next connection.
  func onRefused(_ code: String)
}

/// Thrown when the node forbids reconnecting.
public struct Refused: Error {
  public let closeCode: Int
}

/// End of the connection; the code is 1006 if there was none.
private struct Ended: Error {
  let code: Int
}

/// Action for a close code: PROTOCOL.md, section 7.
enum AfterClose {
  case retry, retryElsewhere, dontRetry

  init(_ code: Int) {
    switch code {
    case 4100...4199: self = .retryElsewhere
    case 4200...4299, 1002, 1003, 1007...1010: self = .dontRetry
    default: self = .retry
    }
  }
}

/// Example client over URLSessionWebSocketTask with automatic reconnect and resumed subscriptions.
/// Subscribe, then call `run`.
public actor SluiceClient {
  private static let minBackoff = 0.5
  private static let maxBackoff = 30.0
  /// A connection that lasted this many seconds resets the failure count.
  private static let stable = 5.0
  private static let abnormal = 1006
  private static let draining = 4100

  private struct Subscription {
    let observer: any SubscriptionObserver
    var continuity: Continuity
  }

  private struct Connect: Encodable {
    let type = "connect"
    let token: String?
    let client = "swift-example/1"
  }

  private struct Subscribe: Encodable {
    let type = "subscribe"
    let ref: Int
    let topic: String
    let from: Start
  }

  private struct Ping: Encodable {
    let type = "ping"
    let ref = 0
  }

  private let url: URL
  private let token: (@Sendable () async throws -> String)?
  private let session = URLSession(configuration: .default)
  private var subscriptions: [String: Subscription] = [:]
  private var topicsByRef: [Int: String] = [:]
  private var overlap = 0
  private var helloAt: Date?
  private var lastActivityAt = Date()
  private var pingInterval = 25.0

  /// - Parameter token: returns the credential for each connection.
  public init(url: URL, token: (@Sendable () async throws -> String)? = nil) {
    self.url = url
    self.token = token
  }

  /// Subscribes to a topic or pattern; at most once for each, and before `run`.
  public func subscribe(
    _ topic: String, from start: Start = .now, observer: any SubscriptionObserver
  ) {
    subscriptions[topic] = Subscription(observer: observer, continuity: Continuity(from: start))
  }

  /// Returns the position of a subscription, which can be stored and used as a start later.
  public func position(of topic: String) -> Position? {
    subscriptions[topic]?.continuity.position
  }

  /// Stays connected until its task is cancelled; throws `Refused` if the node forbids reconnecting.
  public func run() async throws {
    var failures = 0
    while true {
      try Task.checkCancellation()
      helloAt = nil
      let code = await connectOnce()
      try Task.checkCancellation()
      let next = AfterClose(code)
      if next == .dontRetry { throw Refused(closeCode: code) }
      let uptime = helloAt.map { Date().timeIntervalSince($0) } ?? 0
      failures = uptime >= Self.stable ? 0 : failures + 1
      // A node that drains for long must not be dialled in a loop.
      if next == .retryElsewhere && failures == 0 { continue }
      try await Task.sleep(nanoseconds: UInt64(Self.backoff(failures) * 1e9))
    }
  }

  /// Returns the delay in seconds: random between 0 and a bound that doubles with each failure.
  static func backoff(_ failures: Int) -> Double {
    let bound = minBackoff * pow(2, Double(min(max(0, failures - 1), 10)))
    return Double.random(in: 0..<min(bound, maxBackoff))
  }

  /// Runs one connection until it ends; returns the close code.
  private func connectOnce() async -> Int {
    let socket = session.webSocketTask(with: url, protocols: ["sluice.v1.json"])
    socket.maximumMessageSize = 16 * 1024 * 1024
    socket.resume()
    lastActivityAt = Date()
    let watch = Task { await self.watch(socket) }
    defer {
      watch.cancel()
      socket.cancel(with: .normalClosure, reason: nil)
    }
    return await withTaskCancellationHandler {
      await exchangeFrames(over: socket)
    } onCancel: {
      socket.cancel()
    }
  }

  /// Exchanges frames until the connection ends; returns the close code.
  private func exchangeFrames(over socket: URLSessionWebSocketTask) async -> Int {
    do {
      try await open(socket)
      while true {
        guard case .string(let text) = try await socket.receive() else { continue }
        lastActivityAt = Date()
        try onFrame(JSONDecoder().decode(Frame.self, from: Data(text.utf8)))
      }
    } catch let ended as Ended {
      return ended.code
    } catch {
      // Also after an invalid frame, which may have been a message.
      let code = socket.closeCode.rawValue
      return code == 0 ? Self.abnormal : code
    }
  }

  private func open(_ socket: URLSessionWebSocketTask) async throws {
    try await send(Connect(token: try await token?()), to: socket)
    topicsByRef = [:]
    // Subscribes need not wait for the hello.
    for (ref, topic) in subscriptions.keys.enumerated() {
      topicsByRef[ref] = topic
      guard let from = subscriptions[topic]?.continuity.subscribe() else { continue }
      try await send(Subscribe(ref: ref, topic: topic, from: from), to: socket)
    }
  }

  private func send(_ frame: some Encodable, to socket: URLSessionWebSocketTask) async throws {
    let text = String(decoding: try JSONEncoder().encode(frame), as: UTF8.self)
    try await socket.send(.string(text))
  }

  /// URLSession hides the node's pings, so an idle connection is checked with a ping frame.
  private func watch(_ socket: URLSessionWebSocketTask) async {
    while !Task.isCancelled {
      try? await Task.sleep(nanoseconds: UInt64(pingInterval * 1e9))
      let idleTime = Date().timeIntervalSince(lastActivityAt)
      if idleTime >= 2 * pingInterval {
        socket.cancel()
        return
      }
      if idleTime >= pingInterval / 2 { try? await send(Ping(), to: socket) }
    }
  }

  private func onFrame(_ frame: Frame) throws {
    switch frame.type {
    case "hello":
      overlap = frame.limits?.overlap ?? 0
      pingInterval = Double(frame.pingInterval ?? 25_000) / 1_000
      helloAt = Date()
    case "subscribed":
      onSubscribed(frame)
    case "message":
      try onMessage(frame)
    case "gap":
      guard let topic = answered(frame.topic), let offset = frame.offset, let time = frame.time
      else { return }
      subscriptions[topic]?.continuity.gap(offset: offset, time: time)
      subscriptions[topic]?.observer.onGap(frame.reason ?? "")
    case "caught-up":
      guard let time = frame.time else { return }
      for topic in subscriptions.keys { subscriptions[topic]?.continuity.caughtUp(time: time) }
    case "error":
      guard let ref = frame.ref, let topic = topicsByRef.removeValue(forKey: ref) else { return }
      subscriptions[topic]?.observer.onRefused(frame.code ?? "")
    case "draining":
      throw Ended(code: Self.draining)
    default:
      break  // stale, live, pong, and types of newer nodes
    }
  }

  private func onSubscribed(_ frame: Frame) {
    guard let ref = frame.ref, let topic = topicsByRef[ref], let epoch = frame.epoch,
      let offset = frame.offset
    else { return }
    let gap = subscriptions[topic]?.continuity.subscribed(
      epoch: epoch, offset: offset, replay: frame.replay ?? 0, recovered: frame.recovered,
      time: frame.time, overlap: overlap)
    if let gap { subscriptions[topic]?.observer.onGap(gap) }
  }

  private func onMessage(_ frame: Frame) throws {
    guard let key = answered(frame.pattern ?? frame.topic), let topic = frame.topic,
      let id = frame.id, let offset = frame.offset
    else { return }
    let payload = try content(of: frame)
    guard subscriptions[key]?.continuity.message(id: id, offset: offset) == true else { return }
    let message = Message(topic: topic, id: id, time: frame.time ?? 0, content: payload)
    subscriptions[key]?.observer.onMessage(message)
  }

  private func content(of frame: Frame) throws -> Message.Content {
    switch (frame.encoding, frame.payload) {
    case (nil, .string(let text)): return .text(text)
    case ("base64", .string(let text)):
      guard let bytes = Data(base64Encoded: text) else { throw Ended(code: Self.abnormal) }
      return .bytes(bytes)
    case ("json", .some(let value)): return .json(value)
    default: throw Ended(code: Self.abnormal)
    }
  }

  /// Returns the topic if it is subscribed and the node has answered.
  private func answered(_ topic: String?) -> String? {
    guard let topic, subscriptions[topic]?.continuity.isAnswered == true else { return nil }
    return topic
  }
}
