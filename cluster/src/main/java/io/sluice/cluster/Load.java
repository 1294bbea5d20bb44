package io.sluice.cluster;

/**
 * Load of a node. Immutable, for any thread.
 *
 * @param connections number of connected clients
 * @param movable number of clients that can be redirected and were not redirected yet
 * @param messageRate delivered messages per second
 * @param cpu share of the available processors, 0 to 1
 * @param loopLagMs lag of the event loops in milliseconds
 */
public record Load(int connections, int movable, double messageRate, double cpu, double loopLagMs) {
  public static final Load NONE = new Load(0, 0, 0, 0, 0);

  /** Relative changes below this share of the last reported value are not reported. */
  private static final double SHARE = 0.05;

  private static final double MIN_RATE = 10;
  private static final double MIN_CPU = 0.05;
  private static final double MIN_LAG_MS = 5;

  /** Rejects impossible figures. */
  public Load {
    if (connections < 0 || movable < 0) {
      throw new IllegalArgumentException(
          "negative number of connections: " + connections + ", movable " + movable);
    }
    if (!isFigure(messageRate) || !isFigure(cpu) || !isFigure(loopLagMs)) {
      throw new IllegalArgumentException(
          "figure is negative or not finite: " + messageRate + ", " + cpu + ", " + loopLagMs);
    }
  }

  private static boolean isFigure(double value) {
    return Double.isFinite(value) && value >= 0;
  }

  /** Returns whether the change since the last reported load has to be reported. */
  boolean differsMateriallyFrom(Load reported) {
    return differs(connections, reported.connections, 1)
        || differs(movable, reported.movable, 1)
        || differs(messageRate, reported.messageRate, MIN_RATE)
        || differs(cpu, reported.cpu, MIN_CPU)
        || differs(loopLagMs, reported.loopLagMs, MIN_LAG_MS);
  }

  private static boolean differs(double now, double reported, double min) {
    return Math.abs(now - reported) >= Math.max(min, SHARE * reported);
  }
}
