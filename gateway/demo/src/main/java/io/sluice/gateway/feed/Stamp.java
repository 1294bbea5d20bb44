package io.sluice.gateway.feed;

/**
 * Header of the payloads of load tests, by which receivers measure latency and detect missing
 * messages. Stateless; any thread.
 */
final class Stamp {
  /** Maximum size: a sequence number of twelve digits lasts 3,000 years at ten per second. */
  static final int MAX_BYTES = "TS=1763700000000000000 SEQ=123456789012 ".length();

  private Stamp() {}

  /** Returns the header of a message that is due at a time in nanoseconds since 1970. */
  static String of(long sequence, long timeNs) {
    return "TS=" + timeNs + " SEQ=" + sequence + " ";
  }
}
