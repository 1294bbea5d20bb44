package io.sluice.gateway.membership;

import io.sluice.cluster.Node;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.drain.DrainPacer;
import io.sluice.gateway.drain.RedirectTarget;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Redirects clients while this node is without its broker and others have theirs. It begins after
 * {@code balance.broker-loss-after} and ends when the broker is back; without a node that serves,
 * it moves nobody. It also ends when the node drains. Bound to the member's thread, but {@link
 * #entry}.
 *
 * <p>The pace is that of a drain: {@code drain.rate} shared by the nodes without a broker, or all
 * clients within the first half of {@code timeouts.drain}.
 */
final class BrokerLoss {
  private static final Logger log = LoggerFactory.getLogger(BrokerLoss.class);

  /** Unused moves of so long may be made up for. */
  private static final double CREDIT_SECONDS = 1;

  /** Over which clients are spread that can be moved only late. */
  private static final long LEAST_MS = 1_000;

  private final Clients clients;
  private final Places places;
  private final BooleanSupplier live;
  private final IntSupplier losses;
  private final BooleanSupplier draining;
  private final long patienceMs;
  private final int perSecond;
  private final DrainPacer pace;
  private final long lengthMs;
  private int knownLosses;

  /** How long the broker has been away, and how long clients have been moved. */
  private long awayMs;

  private long movingMs;
  private double credit;
  private volatile boolean moving;

  /** The connected clients of this node. */
  interface Clients {
    /** Clients that follow redirects and were not redirected, or not lately. */
    int movable();

    /**
     * Redirects clients, at random moments.
     *
     * @param clients how many of them at most
     * @param withinMs in which they are told
     * @param places where the next one should go, or null if nowhere; asked on event loops
     */
    void evacuate(int clients, long withinMs, Supplier<RedirectTarget> places);
  }

  /**
   * @param live whether this node has its broker; any thread
   * @param losses how often it was lost
   * @param draining whether this node drains, which moves all clients at the same pace
   */
  BrokerLoss(
      Clients clients,
      Places places,
      BooleanSupplier live,
      IntSupplier losses,
      BooleanSupplier draining,
      Config config) {
    this.clients = clients;
    this.places = places;
    this.live = live;
    this.losses = losses;
    this.draining = draining;
    this.patienceMs = config.get(ClusterSettings.BALANCE_BROKER_LOSS_AFTER).toMillis();
    this.perSecond = config.get(TimeoutSettings.DRAIN_RATE);
    this.pace = DrainPacer.of(config.get(TimeoutSettings.DRAIN_RATE));
    this.lengthMs = config.get(TimeoutSettings.DRAIN).toMillis() / 2;
  }

  /** Returns where the client that comes now is served, or null if it stays. Any thread. */
  String entry() {
    return moving && !live.getAsBoolean() ? places.toEnterElsewhere() : null;
  }

  /** To be called as often as given. */
  void onTick(long everyMs) {
    int lost = losses.getAsInt(); // first: a loss between the two is left to the next tick
    if (live.getAsBoolean() || lost != knownLosses) {
      knownLosses = lost;
      awayMs = 0;
      stop();
      return;
    }
    if (draining.getAsBoolean()) {
      moving = false;
      return;
    }
    awayMs += everyMs;
    if (patienceMs > 0 && awayMs >= patienceMs) {
      move(everyMs);
    }
  }

  private void stop() {
    if (moving) {
      moving = false;
      log.atInfo().addKeyValue("clients", clients.movable()).log("cluster.broker-back");
    }
  }

  private void move(long everyMs) {
    boolean served = places.toServe().isPresent();
    if (served && !moving) {
      movingMs = 0;
      credit = 0;
      log.atWarn().addKeyValue("clients", clients.movable()).log("cluster.broker-lost-alone");
    }
    moving |= served;
    int waiting = clients.movable();
    if (served && waiting > 0) {
      movingMs += everyMs;
      clients.evacuate(due(waiting, everyMs), everyMs, this::next);
    }
  }

  private int due(int waiting, long everyMs) {
    if (perSecond == 0) {
      return pace.clients(waiting, everyMs, Math.max(LEAST_MS, lengthMs - movingMs));
    }
    double share = (double) perSecond / places.withoutBroker();
    credit = Math.min(credit + share * everyMs / 1000, Math.max(1, share * CREDIT_SECONDS));
    int due = Math.min(waiting, (int) credit);
    credit -= due;
    return due;
  }

  private RedirectTarget next() {
    return places
        .toServe()
        .map(to -> new RedirectTarget(places.send(to), () -> isBetter(to)))
        .orElse(null);
  }

  private boolean isBetter(Node to) {
    return !live.getAsBoolean() && places.isOpen(to);
  }
}
