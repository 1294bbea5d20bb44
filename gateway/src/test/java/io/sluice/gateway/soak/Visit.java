package io.sluice.gateway.soak;

/** The ways in which passing clients come and go. */
enum Visit {
  /** Reads a while and says goodbye. */
  GOODBYE,
  /** Reads a while and resets the connection. */
  RESET,
  /** Stops reading, and is gone a while later with much unread. */
  HALF_OPEN,
  /** Stops reading until the node closes it as a slow consumer. */
  SLOW,
  /** Takes a topic that nobody has, publishes to it, leaves it and takes it again. */
  FRESH_TOPIC,
  /** The same with a pattern. */
  FRESH_PATTERN,
  /** Subscribes and unsubscribes in turn. */
  FLAP,
  /** Never completes the handshake. */
  NO_HANDSHAKE
}
