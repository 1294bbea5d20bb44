package io.sluice.gateway.attack;

/**
 * Observations of the honest clients in a period. Immutable.
 *
 * @param received messages
 * @param lost messages missing between received ones
 * @param doubled messages received twice, or late
 * @param told gaps and errors reported by the node
 * @param gone clients that are no longer connected
 * @param behind messages that some client of a topic has and others of it don't, now
 * @param p50 latency in ms since the publisher sent
 * @param p99 the same
 * @param max the same
 */
record Reading(
    long received,
    long lost,
    long doubled,
    long told,
    long gone,
    long behind,
    double p50,
    double p99,
    double max) {
  private static final int FIELDS = 9;

  /** Returns whether every message was received once. */
  boolean isWhole() {
    return lost == 0 && doubled == 0 && told == 0 && gone == 0;
  }

  /** As one line. */
  String line() {
    return "%d %d %d %d %d %d %s %s %s"
        .formatted(received, lost, doubled, told, gone, behind, p50, p99, max);
  }

  /** Reads a {@link #line} back. */
  static Reading parse(String line) {
    String[] f = line.split(" ");
    if (f.length != FIELDS) {
      throw new IllegalArgumentException("not a reading: " + line);
    }
    return new Reading(
        Long.parseLong(f[0]),
        Long.parseLong(f[1]),
        Long.parseLong(f[2]),
        Long.parseLong(f[3]),
        Long.parseLong(f[4]),
        Long.parseLong(f[5]),
        Double.parseDouble(f[6]),
        Double.parseDouble(f[7]),
        Double.parseDouble(f[8]));
  }
}
