package io.sluice.cluster;

/**
 * What a node has to do. Immutable, for any thread.
 *
 * @param connections clients that are connected
 * @param movable those of them that it could tell to go elsewhere, and has not told yet
 * @param messageRate messages a second that it delivers
 * @param cpu its share of the processors that it may use, 0 to 1
 * @param loopLagMs how late its event loops are
 */
public record Load(int connections, int movable, double messageRate, double cpu, double loopLagMs) {
  public static final Load NONE = new Load(0, 0, 0, 0, 0);

  /** Finer changes of the first two are noise, in parts of what was said last. */
  private static final double SHARE = 0.05;

  private static final double LEAST_RATE = 10;
  private static final double LEAST_CPU = 0.05;
  private static final double LEAST_LAG_MS = 5;

  /** Refuses figures that no node can have. */
  public Load {
    if (connections < 0 || movable < 0) {
      throw new IllegalArgumentException("a negative number of connections");
    }
    if (!isFigure(messageRate) || !isFigure(cpu) || !isFigure(loopLagMs)) {
      throw new IllegalArgumentException("a figure that is negative or no number");
    }
  }

  private static boolean isFigure(double value) {
    return Double.isFinite(value) && value >= 0;
  }

  /** Whether others should hear of this one, after they have heard of the other. */
  boolean differsMateriallyFrom(Load told) {
    return differs(connections, told.connections, 1)
        || differs(movable, told.movable, 1)
        || differs(messageRate, told.messageRate, LEAST_RATE)
        || differs(cpu, told.cpu, LEAST_CPU)
        || differs(loopLagMs, told.loopLagMs, LEAST_LAG_MS);
  }

  private static boolean differs(double now, double told, double least) {
    return Math.abs(now - told) >= Math.max(least, SHARE * told);
  }
}
