package io.sluice.gateway.protocol;

/** What the bytes of a payload are; the ordinal stands in bits 4 and 5 of a binary message. */
public enum PayloadKind {
  /** UTF-8 text, from a JMS TextMessage. */
  TEXT,
  /** Anything, from a JMS BytesMessage. */
  BYTES,
  /** UTF-8 JSON, an object from a JMS MapMessage or an array from a StreamMessage. */
  JSON
}
