package io.sluice.gateway.soak;

/** Kinds of visits by short-lived clients. */
enum Visit {
  /** Reads for a while and closes the connection with a close frame. */
  GOODBYE,
  /** Reads for a while and resets the connection. */
  RESET,
  /** Stops reading, and disconnects later with much unread data. */
  HALF_OPEN,
  /** Stops reading until the node closes it as a slow consumer. */
  SLOW,
  /** Subscribes to an unused topic, publishes to it, unsubscribes and subscribes again. */
  FRESH_TOPIC,
  /** The same with a pattern. */
  FRESH_PATTERN,
  /** Subscribes and unsubscribes in turn. */
  FLAP,
  /** Never completes the handshake. */
  NO_HANDSHAKE
}
