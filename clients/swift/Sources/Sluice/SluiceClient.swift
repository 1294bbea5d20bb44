import Foundation

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

/// A frame of a known type has a missing or malformed member.
private struct Unreadable: Error {}

/// Action for a close code: PROTOCOL.md, section 7.
enum AfterClose {
  case retry, retryElsewhere, dontRetry

  init(_ code: Int) {
    switch code {
    case 4100...4199: self = .retryElsewhere
    // Any other code may come from an intermediary.
    case 4200, 4201, 4203...4205: self = .dontRetry
    default: self = .retry
    }
  }
}

/// Processes one message of a queue. The message is acknowledged when it returns, and released when
/// it throws.
public typealias DeliveryHandler = @Sendable (Delivery) async throws -> Void

/// Client over URLSessionWebSocketTask with automatic reconnect and resumed subscriptions. Subscribe
/// and consume, then call `run`.
public actor SluiceClient {
  private static let minBackoff = 0.5
  private static let maxBackoff = 30.0
  private static let maxRetryAfter = 60
  /// A connection that lasted this many seconds resets the failure count.
  private static let stable = 5.0
  private static let abnormal = 1006
  private static let draining = 4100

  private struct Subscription {
    let observer: any SubscriptionObserver
    var continuity: Continuity
  }

  private struct Consumer {
    let queue: String
    let credit: Int
    /// Passes deliveries to the task that calls the handler.
    let deliveries: AsyncStream<Delivery>.Continuation
    /// Request of this connection; nil without one.
    var ref: Int?
  }

  private typealias Answer = CheckedContinuation<Frame, any Error>

  private let url: URL
  private let token: (@Sendable () async throws -> String)?
  private let onError: (@Sendable (SluiceError) -> Void)?
  private let session = URLSession(configuration: .default)
  private var subscriptions: [String: Subscription] = [:]
  private var topicsByRef: [Int: String] = [:]
  private var consumers: [Consumer] = []
  private var answers: [Int: Answer] = [:]
  private var lastRef = 0
  /// Open connection; nil before its hello and after its end.
  private var current: URLSessionWebSocketTask?
  private var overlap = 0
  private var helloAt: Date?
  private var lastActivityAt = Date()
  private var pingInterval = 25.0
  /// Wait in seconds that the refusal of the latest handshake requests.
  private var retryAfter = 0

  /// - Parameter token: returns the credential for each connection.
  /// - Parameter onError: receives errors that belong to no call, such as unreadable frames.
  public init(
    url: URL, token: (@Sendable () async throws -> String)? = nil,
    onError: (@Sendable (SluiceError) -> Void)? = nil
  ) {
    self.url = url
    self.token = token
    self.onError = onError
  }

  /// Subscribes to a topic or pattern; at most once for each, and before `run`.
  public func subscribe(
    _ topic: String, from start: Start = .now, observer: any SubscriptionObserver
  ) {
    subscriptions[topic] = Subscription(observer: observer, continuity: Continuity(from: start))
  }

  /// Consumes a queue on each connection; before `run`. Messages are handled one after the other.
  ///
  /// - Parameter credit: maximum number of messages that are delivered and not settled.
  public func consume(queue: String, credit: Int = 1, handler: @escaping DeliveryHandler) {
    let (stream, continuation) = AsyncStream.makeStream(of: Delivery.self)
    consumers.append(Consumer(queue: queue, credit: credit, deliveries: continuation))
    Task {
      for await delivery in stream {
        await self.process(delivery, with: handler)
      }
    }
  }

  private func process(_ delivery: Delivery, with handler: DeliveryHandler) async {
    let settlement: String
    do {
      try await handler(delivery)
      settlement = "ack"
    } catch {
      settlement = "release"
    }
    // A message of an earlier connection has returned to its queue.
    guard let socket = current, consumers.contains(where: { $0.ref == delivery.consumer }) else {
      return
    }
    let settle: Members = [
      "type": .string(settlement), "subscription": .integer(delivery.consumer),
      "tag": .integer(delivery.tag),
    ]
    try? await send(settle, to: socket)
  }

  /// Publishes a message; returns when the broker has accepted it. Throws `SluiceError`.
  public func publish(_ content: Content, to destination: Destination) async throws {
    _ = try await call("publish", destination.member.merging(content.members) { $1 })
  }

  /// Sends a request and returns the first reply within `timeout` milliseconds.
  public func request(
    _ content: Content, to destination: Destination, timeout: Int = 5_000
  ) async throws -> Content {
    var members = destination.member.merging(content.members) { $1 }
    members["timeout"] = .integer(timeout)
    guard let reply = Content(try await call("request", members)) else {
      throw SluiceError(code: "bad-answer", message: "payload of reply contradicts its encoding")
    }
    return reply
  }

  /// Sends a frame on the open connection and returns its answer.
  private func call(_ type: String, _ members: Members) async throws -> Frame {
    guard let socket = current else {
      throw SluiceError(code: "connection-lost", message: "there is no connection")
    }
    let ref = nextRef()
    let frame = members.merging(["type": .string(type), "ref": .integer(ref)]) { $1 }
    return try await withCheckedThrowingContinuation { (answer: Answer) in
      answers[ref] = answer
      Task { await self.transmit(frame, ref: ref, over: socket) }
    }
  }

  private func transmit(_ frame: Members, ref: Int, over socket: URLSessionWebSocketTask) async {
    do {
      try await send(frame, to: socket)
    } catch {
      answers.removeValue(forKey: ref)?.resume(throwing: Self.lost)
    }
  }

  private static let lost = SluiceError(
    code: "connection-lost", message: "the connection ended before the answer")

  private func nextRef() -> Int {
    lastRef += 1
    return lastRef
  }

  /// Records the end of a connection.
  private func onEnd() {
    current = nil
    for answer in answers.values { answer.resume(throwing: Self.lost) }
    answers = [:]
    for index in consumers.indices { consumers[index].ref = nil }
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
      retryAfter = 0
      let code = await connectOnce()
      onEnd()
      try Task.checkCancellation()
      let next = AfterClose(code)
      if next == .dontRetry { throw Refused(closeCode: code) }
      let uptime = helloAt.map { Date().timeIntervalSince($0) } ?? 0
      failures = uptime >= Self.stable ? 0 : failures + 1
      // A node that drains for long must not be dialled in a loop.
      if next == .retryElsewhere && failures == 0 { continue }
      // In addition: the clients that a node has refused together must not return together.
      let wait = Double(retryAfter) + Self.backoff(failures)
      try await Task.sleep(nanoseconds: UInt64(wait * 1e9))
    }
  }

  /// Returns the seconds of a header Retry-After, at most 60; 0 unless it is a whole number.
  static func retryAfter(_ header: String?) -> Int {
    guard let header, !header.isEmpty, header.allSatisfy({ "0123456789".contains($0) })
    else { return 0 }
    return min(Int(header) ?? maxRetryAfter, maxRetryAfter)
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
      try await begin(socket)
      while true {
        guard case .string(let text) = try await socket.receive() else { continue }
        lastActivityAt = Date()
        try await onText(Data(text.utf8), from: socket)
      }
    } catch let ended as Ended {
      return ended.code
    } catch {
      // Also after an unreadable frame before the hello.
      let response = socket.response as? HTTPURLResponse
      retryAfter = Self.retryAfter(response?.value(forHTTPHeaderField: "Retry-After"))
      let code = socket.closeCode.rawValue
      return code == 0 ? Self.abnormal : code
    }
  }

  /// Handles a frame. An unreadable one does not end an open session, as it would follow again.
  private func onText(_ text: Data, from socket: URLSessionWebSocketTask) async throws {
    do {
      try onFrame(JSONDecoder().decode(Frame.self, from: text), from: socket)
    } catch let ended as Ended {
      throw ended
    } catch {
      guard current != nil else { throw error }
      let members = (try? JSONDecoder().decode(Members.self, from: text)) ?? [:]
      await onUnreadable(members, over: socket)
    }
  }

  /// Isolates what an unreadable frame concerns: PROTOCOL.md, section 2.
  private func onUnreadable(_ members: Members, over socket: URLSessionWebSocketTask) async {
    let type = members["type"]?.asText
    let error = SluiceError(code: "bad-answer", message: "unreadable frame: \(type ?? "no type")")
    onError?(error)
    let ref = members["ref"]?.asInteger
    if let ref, let answer = answers.removeValue(forKey: ref) {
      answer.resume(throwing: error)
      return
    }
    switch type {
    case "delivery":
      guard let ref, let tag = members["tag"]?.asInteger,
        consumers.contains(where: { $0.ref == ref })
      else { return }
      let reject: Members = [
        "type": .string("reject"), "ref": .integer(nextRef()), "subscription": .integer(ref),
        "tag": .integer(tag),
      ]
      try? await send(reject, to: socket)
    case "subscribed":
      guard let ref, let topic = topicsByRef.removeValue(forKey: ref) else { return }
      subscriptions[topic]?.observer.onRefused(error.code)
    case nil, "message", "gap":
      onUnreadableMessage(members)
    default:
      break  // it concerns no subscription
    }
  }

  /// Reports a gap to the subscription of a message or gap, or to all if it is unknown.
  private func onUnreadableMessage(_ members: Members) {
    let key = (members["pattern"] ?? members["topic"])?.asText
    let known = key.flatMap { subscriptions[$0] == nil ? nil : $0 }
    for topic in subscriptions.keys where known == nil || topic == known {
      guard answered(topic) != nil else { continue }
      if known != nil {
        subscriptions[topic]?.continuity.unreadable(
          offset: members["offset"]?.asInteger, id: members["id"]?.asText)
      }
      subscriptions[topic]?.observer.onGap("unreadable")
    }
  }

  private func begin(_ socket: URLSessionWebSocketTask) async throws {
    var connect: Members = ["type": .string("connect"), "client": .string("sluice-swift/0.1.0")]
    if let token { connect["token"] = .string(try await token()) }
    try await send(connect, to: socket)
    topicsByRef = [:]
    // Subscribes and consumes need not wait for the hello.
    for topic in subscriptions.keys {
      guard let from = subscriptions[topic]?.continuity.subscribe() else { continue }
      let ref = nextRef()
      topicsByRef[ref] = topic
      let subscribe: Members = [
        "type": .string("subscribe"), "ref": .integer(ref), "topic": .string(topic),
        "from": try from.value(),
      ]
      try await send(subscribe, to: socket)
    }
    for index in consumers.indices {
      let ref = nextRef()
      consumers[index].ref = ref
      let consume: Members = [
        "type": .string("consume"), "ref": .integer(ref),
        "queue": .string(consumers[index].queue), "credit": .integer(consumers[index].credit),
      ]
      try await send(consume, to: socket)
    }
  }

  private func send(_ frame: Members, to socket: URLSessionWebSocketTask) async throws {
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
      if idleTime >= pingInterval / 2 { try? await send(["type": .string("ping"), "ref": .integer(0)], to: socket) }
    }
  }

  private func onFrame(_ frame: Frame, from socket: URLSessionWebSocketTask) throws {
    if let ref = frame.ref, let answer = answers.removeValue(forKey: ref) {
      if frame.type == "error" {
        let error = SluiceError(code: frame.code ?? "internal", message: frame.message ?? "")
        answer.resume(throwing: error)
      } else {
        answer.resume(returning: frame)
      }
      return
    }
    switch frame.type {
    case "hello":
      overlap = frame.limits?.overlap ?? 0
      pingInterval = Double(frame.pingInterval ?? 25_000) / 1_000
      helloAt = Date()
      current = socket
    case "delivery":
      try onDelivery(frame)
    case "subscribed":
      try onSubscribed(frame)
    case "message":
      try onMessage(frame)
    case "gap":
      guard let name = frame.topic, let offset = frame.offset, let time = frame.time,
        let reason = frame.reason
      else { throw Unreadable() }
      guard let topic = answered(name) else { return }
      subscriptions[topic]?.continuity.gap(
        offset: offset, time: time, epoch: frame.epoch, ids: frame.ids)
      subscriptions[topic]?.observer.onGap(reason)
    case "caught-up":
      guard let time = frame.time else { throw Unreadable() }
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

  private func onSubscribed(_ frame: Frame) throws {
    guard let ref = frame.ref, let epoch = frame.epoch, let offset = frame.offset,
      frame.ids?.allSatisfy(Continuity.isId) != false
    else { throw Unreadable() }
    guard let topic = topicsByRef[ref] else { return }
    let gap = subscriptions[topic]?.continuity.subscribed(
      epoch: epoch, offset: offset, ids: frame.ids, replay: frame.replay ?? 0,
      recovered: frame.recovered, time: frame.time, overlap: overlap)
    if let gap { subscriptions[topic]?.observer.onGap(gap) }
  }

  private func onMessage(_ frame: Frame) throws {
    guard let topic = frame.topic, let id = frame.id, Continuity.isId(id),
      let offset = frame.offset, let time = frame.time, let content = Content(frame)
    else { throw Unreadable() }
    guard let key = answered(frame.pattern ?? topic) else { return }
    guard subscriptions[key]?.continuity.message(id: id, offset: offset) == true else { return }
    let message = Message(topic: topic, id: id, time: time, content: content)
    subscriptions[key]?.observer.onMessage(message)
  }

  private func onDelivery(_ frame: Frame) throws {
    guard let ref = frame.ref, let tag = frame.tag, let id = frame.id, Continuity.isId(id),
      let time = frame.time, let content = Content(frame)
    else { throw Unreadable() }
    guard let consumer = consumers.first(where: { $0.ref == ref }) else { return }
    consumer.deliveries.yield(
      Delivery(
        id: id, time: time, redelivery: frame.redelivered ?? .none, content: content,
        consumer: ref, tag: tag))
  }

  /// Returns the topic if it is subscribed and the node has answered.
  private func answered(_ topic: String?) -> String? {
    guard let topic, subscriptions[topic]?.continuity.isAnswered == true else { return nil }
    return topic
  }
}
