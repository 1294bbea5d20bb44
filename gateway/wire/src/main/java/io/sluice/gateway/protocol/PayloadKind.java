package io.sluice.gateway.protocol;

/** Types of payload; the ordinal is encoded in bits 4 and 5 of a binary message. */
public enum PayloadKind {
  /** UTF-8 text, from a JMS TextMessage. */
  TEXT,
  /** Arbitrary bytes, from a JMS BytesMessage. */
  BYTES,
  /** UTF-8 JSON, an object from a JMS MapMessage or an array from a StreamMessage. */
  JSON,
  /** None: the message removes its topic or key from snapshots, and its payload is empty. */
  REMOVAL
}
