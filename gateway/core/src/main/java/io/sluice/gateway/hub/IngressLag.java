package io.sluice.gateway.hub;

import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.Collection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lag of topics whose messages arrive later than {@code resume.margin} after their acceptance by
 * the broker, and whether they make the node unready. A backlogged connection delivers late
 * messages without pause; those of late commits come in bursts. The control thread updates it; any
 * thread may read it.
 */
public final class IngressLag {
  private static final Logger log = LoggerFactory.getLogger(IngressLag.class);

  /** Duration of a lag, in margins, after which the node is not ready. */
  private static final int MARGINS = 3;

  /** Minimum number of lagging topics that make the node not ready: one may lag by itself. */
  private static final int MIN_TOPICS = 2;

  private static final long NOT_LAGGING = Long.MIN_VALUE;

  private final GatewayMetrics metrics;
  private final long unreadyAfterMs;
  private final long marginMs;
  private final long spreadMs;
  private long sinceMs = NOT_LAGGING;

  /** Time since which the whole connection lags, not only a topic. */
  private long connectionSinceMs = NOT_LAGGING;

  /** Arrival of the latest message of any topic. */
  private volatile long arrivalMs = DeliveryWatermark.NEVER;

  /** The longest time between two arrivals since the latest round. */
  private volatile long idleMs;

  private volatile String problem;

  /**
   * Creates an instance without lags.
   *
   * @param marginMs lag above which a topic lags
   * @param spreadMs time without a message in which a connection has no backlog
   */
  IngressLag(GatewayMetrics metrics, long marginMs, long spreadMs) {
    this.metrics = metrics;
    this.marginMs = marginMs;
    this.spreadMs = spreadMs;
    this.unreadyAfterMs = MARGINS * marginMs;
  }

  /** Records the arrival of a message of any topic. Threads of the JMS client. */
  void onArrival(long nowMs) {
    long before = arrivalMs;
    if (nowMs <= before) {
      return; // no write for each message of a busy connection
    }
    arrivalMs = nowMs;
    if (nowMs - before > idleMs) {
      idleMs = nowMs - before;
    }
  }

  /**
   * Applies the result of a round.
   *
   * @param round number of the round
   * @param canaryMs the longest time that a canary of the round took
   */
  void update(Collection<? extends SourceInterest> topics, int round, long canaryMs, long nowMs) {
    int lagging = 0;
    long arrivals = 0;
    long late = 0;
    SourceInterest worst = null;
    for (SourceInterest topic : topics) {
      arrivals += topic.arrivals(round);
      late += topic.lateArrivals(round);
      if (topic.lagMs() > 0) {
        lagging++;
        worst = worst == null || topic.lagMs() > worst.lagMs() ? topic : worst;
      }
    }
    metrics.ingressLag(worst == null ? 0 : worst.lagMs() / 1000.0);
    boolean busy = Math.max(idleMs, nowMs - arrivalMs) < spreadMs;
    idleMs = 0;
    boolean backlog = busy && lagging >= MIN_TOPICS && 2 * late > arrivals;
    updateProblem(backlog, lagging, worst, canaryMs, nowMs);
    if (worst == null) {
      end();
      return;
    }
    if (sinceMs == NOT_LAGGING) {
      sinceMs = nowMs;
      log.atWarn()
          .addKeyValue("topics", lagging)
          .addKeyValue("worst", worst.key().toString())
          .addKeyValue("lag-ms", worst.lagMs())
          .log("ingress.lagging");
    }
  }

  private void updateProblem(
      boolean backlog, int lagging, SourceInterest worst, long canaryMs, long nowMs) {
    if (!backlog && canaryMs <= marginMs) {
      connectionSinceMs = NOT_LAGGING;
      problem = null;
      return;
    }
    if (connectionSinceMs == NOT_LAGGING) {
      connectionSinceMs = nowMs;
    }
    if (nowMs - connectionSinceMs >= unreadyAfterMs) {
      problem =
          backlog ? problem(lagging, worst) : "broker: canaries take " + canaryMs / 1000 + " s";
    }
  }

  private static String problem(int lagging, SourceInterest worst) {
    return "broker: "
        + lagging
        + " topics lag behind the broker, "
        + worst.key()
        + " by "
        + worst.lagMs() / 1000
        + " s";
  }

  private void end() {
    if (sinceMs != NOT_LAGGING) {
      log.atInfo().log("ingress.caught-up");
    }
    sinceMs = NOT_LAGGING;
  }

  /** Clears all lags after the loss of the broker, because they are unknown then. */
  void clear() {
    metrics.ingressLag(0);
    sinceMs = NOT_LAGGING;
    connectionSinceMs = NOT_LAGGING;
    problem = null;
  }

  /** Returns the reason for which the node is not ready, or null. Any thread may call it. */
  public String problem() {
    return problem;
  }
}
