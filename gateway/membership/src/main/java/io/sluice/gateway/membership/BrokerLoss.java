package io.sluice.gateway.membership;

import io.sluice.cluster.Node;
import io.sluice.gateway.drain.DrainPace;
import io.sluice.gateway.drain.RedirectTarget;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Redirects of clients while this node has lost its broker and others have theirs. They begin after
 * an outage of {@link MemberOptions#brokerLossAfter} and end when the broker is back or the node
 * drains. Without a node that serves, no client is redirected. Bound to the member's thread, except
 * {@link #entry}.
 *
 * <p>The rate is that of a drain: {@code drain.rate} shared by the nodes without a broker, or all
 * clients within the first half of {@code timeouts.drain}.
 */
final class BrokerLoss {
  private static final Logger log = LoggerFactory.getLogger(BrokerLoss.class);

  /** Largest credit, in seconds of the rate. */
  private static final double CREDIT_SECONDS = 1;

  /** Minimum time over which the last clients are spread. */
  private static final long MIN_SPREAD_MS = 1_000;

  private final IntSupplier movable;
  private final Evacuation evacuation;
  private final TargetSelector targets;
  private final BooleanSupplier live;
  private final IntSupplier losses;
  private final BooleanSupplier draining;
  private final long delayMs;
  private final int perSecond;
  private final DrainPace evenPace = DrainPace.of(0);
  private final long durationMs;
  private int seenLosses;

  /** Duration of the broker's outage. */
  private long outageMs;

  /** Time since the redirects began. */
  private long redirectingMs;

  private double credit;
  private volatile boolean redirecting;

  /** Redirect of connected clients. */
  @FunctionalInterface
  interface Evacuation {
    /**
     * Redirects clients, at random moments.
     *
     * @param clients largest number of clients
     * @param withinMs period over which they are redirected
     * @param targets supplies the next redirect target, or null if there is none; called on event
     *     loops
     */
    Object begin(int clients, long withinMs, Supplier<RedirectTarget> targets);
  }

  /**
   * @param movable number of clients that follow redirects and were not redirected recently
   * @param live whether this node has its broker; any thread
   * @param losses number of losses of the broker
   * @param draining whether this node drains, which redirects all clients at the same rate
   */
  BrokerLoss(
      IntSupplier movable,
      Evacuation evacuation,
      TargetSelector targets,
      BooleanSupplier live,
      IntSupplier losses,
      BooleanSupplier draining,
      MemberOptions options) {
    this.movable = movable;
    this.evacuation = evacuation;
    this.targets = targets;
    this.live = live;
    this.losses = losses;
    this.draining = draining;
    this.delayMs = options.brokerLossAfter().toMillis();
    this.perSecond = options.drainPerSecond();
    this.durationMs = options.drain().toMillis() / 2;
  }

  /**
   * Selects the redirect target of a client that connects now, and counts the redirect. Any thread.
   *
   * @return null to serve the client here
   */
  String redirectForEntry() {
    return redirecting && !live.getAsBoolean() ? targets.redirectForBrokerLoss() : null;
  }

  /** Redirects the clients that are due. To be called at the given interval. */
  void onTick(long everyMs) {
    int lost =
        losses.getAsInt(); // read first: a loss between the two reads is seen by the next tick
    if (live.getAsBoolean() || lost != seenLosses) {
      seenLosses = lost;
      outageMs = 0;
      stop();
      return;
    }
    if (draining.getAsBoolean()) {
      redirecting = false;
      return;
    }
    outageMs += everyMs;
    if (delayMs > 0 && outageMs >= delayMs) {
      redirect(everyMs);
    }
  }

  private void stop() {
    if (redirecting) {
      redirecting = false;
      log.atInfo().addKeyValue("clients", movable.getAsInt()).log("cluster.broker-back");
    }
  }

  private void redirect(long everyMs) {
    boolean served = targets.nodeWithBroker().isPresent();
    if (served && !redirecting) {
      redirectingMs = 0;
      credit = 0;
      log.atWarn().addKeyValue("clients", movable.getAsInt()).log("cluster.broker-lost-alone");
    }
    redirecting |= served;
    int waiting = movable.getAsInt();
    if (served && waiting > 0) {
      redirectingMs += everyMs;
      evacuation.begin(due(waiting, everyMs), everyMs, this::next);
    }
  }

  private int due(int waiting, long everyMs) {
    if (perSecond == 0) {
      long leftMs = Math.max(MIN_SPREAD_MS, durationMs - redirectingMs);
      return evenPace.clients(waiting, everyMs, leftMs);
    }
    double share = (double) perSecond / targets.nodesWithoutBroker();
    credit = Math.min(credit + share * everyMs / 1000, Math.max(1, share * CREDIT_SECONDS));
    int due = Math.min(waiting, (int) credit);
    credit -= due;
    return due;
  }

  private RedirectTarget next() {
    return targets
        .nodeWithBroker()
        .map(to -> new RedirectTarget(targets.redirectTo(to), () -> isStillBetter(to)))
        .orElse(null);
  }

  private boolean isStillBetter(Node to) {
    return !live.getAsBoolean() && targets.isAvailable(to);
  }
}
