/// Frame from the node; its members depend on its type (PROTOCOL.md, section 4).
struct Frame: Decodable, Sendable {
  struct Limits: Decodable, Sendable {
    let overlap: Int
  }

  let type: String
  let ref: Int?
  let topic: String?
  let pattern: String?
  let epoch: String?
  let offset: Int?
  let ids: [String]?
  let replay: Int?
  let recovered: Bool?
  let time: Int?
  let id: String?
  let encoding: String?
  let payload: JSONValue?
  let reason: String?
  let code: String?
  let message: String?
  let subscription: Int?
  let tag: Int?
  let redelivered: Redelivery?
  let pingInterval: Int?
  let limits: Limits?
}

/// Frame to the node; absent members are not sent.
typealias Members = [String: JSONValue]
