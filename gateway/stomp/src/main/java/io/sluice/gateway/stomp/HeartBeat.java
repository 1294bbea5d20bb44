package io.sluice.gateway.stomp;

/**
 * Intervals of heart-beats, negotiated for one connection.
 *
 * @param sendTicks interval at which the node sends; 0 without heart-beats
 * @param expectTicks interval at which the client sends; 0 without heart-beats
 */
record HeartBeat(int sendTicks, int expectTicks) {
  /** Shortest interval in both directions. */
  static final long MIN_MS = 10_000;

  /** Header of the node: the shortest interval in both directions. */
  static final String OFFER = MIN_MS + "," + MIN_MS;

  private static final HeartBeat NONE = new HeartBeat(0, 0);
  private static final HeartBeat USUAL = new HeartBeat(sent(MIN_MS), expected(MIN_MS));
  private static final long MAX_MS = Integer.MAX_VALUE;

  /**
   * Returns the result of the negotiation.
   *
   * @param header of the client, or null
   */
  static HeartBeat of(String header) throws BadStomp {
    if (header == null) {
      return NONE;
    }
    int comma = header.indexOf(',');
    long guaranteed = number(header, 0, Math.max(0, comma));
    long desired = number(header, comma + 1, header.length());
    HeartBeat negotiated = new HeartBeat(sent(desired), expected(guaranteed));
    return negotiated.equals(USUAL) ? USUAL : negotiated; // one object for most clients
  }

  private static long number(String header, int from, int to) throws BadStomp {
    String digits = header.substring(from, to).strip();
    boolean valid =
        !digits.isEmpty()
            && digits.length() <= 18
            && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    if (!valid) {
      throw BadStomp.header("heart-beat", header, "must be two numbers of milliseconds");
    }
    return Math.min(MAX_MS, Long.parseLong(digits));
  }

  // Earlier than the client expects.
  private static int sent(long desiredMs) {
    return desiredMs == 0 ? 0 : (int) (Math.max(desiredMs, MIN_MS) * 9 / 10 / HeartBeats.TICK_MS);
  }

  private static int expected(long guaranteedMs) {
    return guaranteedMs == 0 ? 0 : (int) (Math.max(guaranteedMs, MIN_MS) / HeartBeats.TICK_MS) + 1;
  }
}
