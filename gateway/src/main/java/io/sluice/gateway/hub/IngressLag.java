package io.sluice.gateway.hub;

import io.sluice.gateway.metrics.GatewayMetrics;
import java.util.Collection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lag of topics whose messages arrive later than {@code resume.margin} after their acceptance by
 * the broker. The control thread updates it; any thread may read it.
 */
public final class IngressLag {
  /** An interest with a measured lag. */
  interface Measured {
    /** Returns the topic or pattern, and the selector if there is one. */
    String name();

    /** Returns the lag behind the broker if it exceeds the margin, otherwise 0. */
    long lagMs();

    /** Returns whether it received a message in a round, without what another one passed on. */
    boolean hasArrivals(int round);
  }

  private static final Logger log = LoggerFactory.getLogger(IngressLag.class);

  /** Duration of a lag, in margins, after which the node is not ready. */
  private static final int MARGINS = 3;

  /** Minimum number of lagging topics that make the node not ready: one may lag by itself. */
  private static final int MIN_TOPICS = 2;

  private static final long NOT_LAGGING = Long.MIN_VALUE;

  private final GatewayMetrics metrics;
  private final long unreadyAfterMs;
  private final long marginMs;
  private long sinceMs = NOT_LAGGING;

  /** Time since which the whole connection lags, not only a topic. */
  private long connectionSinceMs = NOT_LAGGING;

  private volatile String problem;

  IngressLag(GatewayMetrics metrics, long marginMs) {
    this.metrics = metrics;
    this.marginMs = marginMs;
    this.unreadyAfterMs = MARGINS * marginMs;
  }

  /**
   * Applies the result of a round.
   *
   * @param round number of the round
   * @param canaryMs the longest time that a canary of the round took
   */
  void update(Collection<? extends Measured> topics, int round, long canaryMs, long nowMs) {
    int lagging = 0;
    int receiving = 0;
    Measured worst = null;
    for (Measured topic : topics) {
      if (topic.hasArrivals(round)) {
        receiving++;
      }
      if (topic.lagMs() > 0) {
        lagging++;
        worst = worst == null || topic.lagMs() > worst.lagMs() ? topic : worst;
      }
    }
    metrics.ingressLag(worst == null ? 0 : worst.lagMs() / 1000.0);
    boolean most = lagging >= MIN_TOPICS && 2 * lagging > receiving;
    updateProblem(most, lagging, worst, canaryMs, nowMs);
    if (worst == null) {
      end();
      return;
    }
    if (sinceMs == NOT_LAGGING) {
      sinceMs = nowMs;
      log.atWarn()
          .addKeyValue("topics", lagging)
          .addKeyValue("worst", worst.name())
          .addKeyValue("lag-ms", worst.lagMs())
          .log("ingress.lagging");
    }
  }

  private void updateProblem(boolean most, int lagging, Measured worst, long canaryMs, long nowMs) {
    if (!most && canaryMs <= marginMs) {
      connectionSinceMs = NOT_LAGGING;
      problem = null;
      return;
    }
    if (connectionSinceMs == NOT_LAGGING) {
      connectionSinceMs = nowMs;
    }
    if (nowMs - connectionSinceMs >= unreadyAfterMs) {
      problem = most ? problem(lagging, worst) : "broker: canaries take " + canaryMs / 1000 + " s";
    }
  }

  private static String problem(int lagging, Measured worst) {
    return "broker: "
        + lagging
        + " topics lag behind the broker, "
        + worst.name()
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
