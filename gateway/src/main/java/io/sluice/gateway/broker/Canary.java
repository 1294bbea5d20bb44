package io.sluice.gateway.broker;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.metrics.GatewayMetrics;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves that the broker still delivers: a message that the node sends to itself over each of its
 * connections, again and again. Bound to the control thread, but where a method says otherwise.
 *
 * <p>What it costs to be wrong decides what silence means. A connection that has gone silent after
 * canaries came back is lost. But a broker that refuses canaries, or swallows them from the start,
 * still delivers messages for all the node knows: then nothing is proven and nothing is lost.
 */
final class Canary {
  private static final Logger log = LoggerFactory.getLogger(Canary.class);

  /** One works; others may hang in what is left of lost connections. More than that wait. */
  private static final int MOST_THREADS = 3;

  private static final long IDLE_THREAD_MS = 1_000;

  private final Provider provider;
  private final Executor control;
  private final BrokerListener listener;
  private final GatewayMetrics metrics;
  private final long intervalMs;
  private final long patienceMs;
  private final String prefix;
  private final String life = Long.toHexString(new SecureRandom().nextLong());
  private final ThreadPoolExecutor threads = newThreads();

  /** Never the same twice: a lost connection's canary may yet reach the next one's consumer. */
  private final AtomicLong numbers = new AtomicLong();

  private CanaryFlight flight;
  private Future<?> running;
  private boolean everReturned;

  /** The round by which the next proof is given, once a later one has returned; or null. */
  private CanaryRounds.Returned probe;

  /** The latest number at the return of the probe: a later round was sent after that. */
  private long confirmedAbove;

  private boolean warned;

  Canary(
      Config config,
      Provider provider,
      Executor control,
      BrokerListener listener,
      GatewayMetrics metrics) {
    this.provider = provider;
    this.control = control;
    this.listener = listener;
    this.metrics = metrics;
    this.intervalMs = config.get(Settings.BROKER_CANARY_INTERVAL).toMillis();
    this.patienceMs = config.get(Settings.BROKER_CANARY_PATIENCE).toMillis();
    this.prefix = config.get(Settings.BROKER_CANARY_PREFIX) + ".";
  }

  private static ThreadPoolExecutor newThreads() {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            MOST_THREADS,
            MOST_THREADS,
            IDLE_THREAD_MS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "sluice-canary");
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** Every interest stands on these connections: from now on there are proofs. */
  void onLive(List<BrokerConnection> connections) {
    if (intervalMs > 0) {
      CanaryFlight next = new CanaryFlight(this, connections, intervalMs);
      running = threads.submit(next); // which fails where there is no thread
      flight = next;
    }
  }

  /** The connections are lost: what still comes back over them proves nothing. */
  void onLost() {
    if (flight != null) {
      flight.end();
      running.cancel(true);
      threads.purge();
      flight = null;
      probe = null;
    }
  }

  void stop() {
    onLost();
    threads.shutdownNow();
  }

  /** Whether the broker has fallen silent, so that its connections have to be taken for lost. */
  boolean isSilent() {
    long silentMs = flight == null ? 0 : flight.silentMs();
    if (silentMs < patienceMs) {
      return false;
    }
    if (!everReturned) {
      warn("none has come back since the node started");
      return false;
    }
    log.atWarn().addKeyValue("for-ms", silentMs).log("broker.silent");
    metrics.brokerFellSilent();
    return true;
  }

  /**
   * Whether a topic, in our spelling, is that of a canary, this node's or another's. Any thread.
   */
  boolean isCanary(String topic) {
    return topic.startsWith(prefix);
  }

  Provider provider() {
    return provider;
  }

  /** The topic of the canaries of one connection, in our spelling. Any thread. */
  String topic(int index) {
    return prefix + life + "." + index;
  }

  /** The topic of what a node leaves for itself, in our spelling. */
  String keepsakeTopic(String clientId) {
    return prefix + "keepsake." + Long.toHexString(MessageIdentity.of(clientId));
  }

  /** The number of the next round. Any thread. */
  long nextNumber() {
    return numbers.incrementAndGet();
  }

  /** All canaries of a round have returned. Any thread. */
  void onReturned(CanaryFlight from, CanaryRounds.Returned round) {
    control.execute(
        () -> {
          if (from == flight) {
            onReturned(round);
          }
        });
  }

  // Two rounds make a proof: the first one may have overtaken messages of a topic that lags, and
  // until the second one has returned, such a topic shows itself by these messages.
  private void onReturned(CanaryRounds.Returned round) {
    everReturned = true;
    warned = false;
    long roundTripMs = Math.max(0, System.currentTimeMillis() - round.sentMs());
    if (probe != null && round.number() <= confirmedAbove) {
      listener.onCanary(round.sequence(), roundTripMs);
      return;
    }
    if (probe != null) {
      metrics.brokerProven(probe.sentMs());
      listener.onProof(probe.sentMs());
    }
    probe = round;
    confirmedAbove = numbers.get();
    listener.onProbe(round.sequence(), roundTripMs);
  }

  /** The broker answers, but takes or gives no canary. Any thread. */
  void onRefused(CanaryFlight from, String cause) {
    control.execute(
        () -> {
          if (from == flight) {
            warn(Credentials.masked(cause));
          }
        });
  }

  private void warn(String cause) {
    if (warned) {
      return;
    }
    warned = true;
    log.atWarn()
        .addKeyValue("topics", prefix + ">")
        .addKeyValue("needs", "the rights to create, consume and publish these topics")
        .addKeyValue(
            "without", "a broker that falls silent is not noticed, and only messages prove")
        .addKeyValue("cause", cause)
        .log("canary.refused");
  }
}
