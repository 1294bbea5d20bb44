import Foundation

/// Content of a message.
public enum Content: Sendable {
  case text(String)
  case bytes(Data)
  /// JMS MapMessage or StreamMessage.
  case json(JSONValue)

  /// Returns nil if the payload contradicts its encoding.
  init?(_ frame: Frame) {
    switch (frame.encoding, frame.payload) {
    case (nil, .some(.string(let text))):
      self = .text(text)
    case (.some("base64"), .some(.string(let text))):
      guard let bytes = Data(base64Encoded: text) else { return nil }
      self = .bytes(bytes)
    case (.some("json"), .some(let value)):
      self = .json(value)
    default:
      return nil
    }
  }

  /// Members of a frame that publishes the content.
  var members: Members {
    switch self {
    case .text(let text):
      return ["payload": .string(text)]
    case .bytes(let bytes):
      return ["encoding": .string("base64"), "payload": .string(bytes.base64EncodedString())]
    case .json(let value):
      return ["encoding": .string("json"), "payload": value]
    }
  }
}

/// Message of a subscription.
public struct Message: Sendable {
  public let topic: String
  /// Identity, 16 hexadecimal digits; the same on every node.
  public let id: String
  /// Acceptance by the broker, milliseconds since 1970.
  public let time: Int
  public let content: Content
}

/// Message of a queue.
public struct Delivery: Sendable {
  /// Identity, 16 hexadecimal digits; the same on every node.
  public let id: String
  /// Acceptance by the broker, milliseconds since 1970.
  public let time: Int
  /// True if the message may have been delivered before; false is certain.
  public var redelivered: Bool { redelivery != .none }
  public let redelivery: Redelivery
  public let content: Content
  let consumer: Int
  let tag: Int
}

/// Knowledge about earlier deliveries of a message.
public enum Redelivery: Decodable, Sendable {
  case none
  /// The broker may have delivered it before without counting it.
  case unknown
  /// The broker has counted an earlier delivery.
  case counted

  public init(from decoder: Decoder) throws {
    let value = try JSONValue(from: decoder)
    self = value == .bool(true) ? .counted : value == .string("unknown") ? .unknown : .none
  }
}

/// Topic or queue of the broker.
public enum Destination: Sendable {
  case topic(String)
  case queue(String)

  var member: Members {
    switch self {
    case .topic(let name): return ["topic": .string(name)]
    case .queue(let name): return ["queue": .string(name)]
    }
  }
}

/// Failure of a call; `code` is stable, such as `forbidden` or `connection-lost`.
public struct SluiceError: Error, Sendable {
  public let code: String
  public let message: String
}
