package io.sluice.gateway.feed;

/** The head of every payload, by which receivers measure time and find holes. Stateless. */
final class Stamp {
  /** The longest head whose sequence number has twelve digits: 3,000 years at ten a second. */
  static final int MOST_BYTES = "TS=1763700000000000000 SEQ=123456789012 ".length();

  private Stamp() {}

  static String of(long sequence, long timeNs) {
    return "TS=" + timeNs + " SEQ=" + sequence + " ";
  }
}
