package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.broker.jms.message.MessageIdentity;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.TopicPattern;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Proof of delivery by canaries: messages that the node sends to itself over each of its
 * connections. Evaluates their return, refusal and absence; a {@link CanarySender} sends and
 * receives them. Bound to the control thread, except where a method states otherwise.
 *
 * <p>A connection over which nothing arrives after canaries have returned is lost. A broker that
 * refuses canaries, or discards them from the start, may still deliver messages. Then there is no
 * proof, and the connection is not lost.
 */
final class Canary {
  private static final Logger log = LoggerFactory.getLogger(Canary.class);

  /** One thread sends; others may be blocked in lost connections. Further senders are queued. */
  private static final int MAX_THREADS = 3;

  private static final long IDLE_THREAD_MS = 1_000;

  private final Provider provider;
  private final Executor control;
  private final BrokerListener listener;
  private final GatewayMetrics metrics;
  private final long intervalMs;
  private final long timeoutMs;
  private final String prefix;
  private final String instanceId = Long.toHexString(new SecureRandom().nextLong());
  private final ThreadPoolExecutor threads = newThreads();
  private final IdentityCheck identities;

  /** Numbers of rounds. Unique, because a canary of a lost connection may still arrive later. */
  private final AtomicLong numbers = new AtomicLong();

  private CanarySender sender;
  private Future<?> running;
  private boolean everReturned;

  /** True if a round has returned since the latest {@link #pollReturned}. */
  private boolean returned;

  /** Round that is proven when a later round has returned; or null. */
  private Returned probe;

  /** Clock of the idle time of connections. */
  private final LongSupplier clockNs;

  /** Latest round number at the return of the probe. Rounds above it were sent afterwards. */
  private long confirmedAbove;

  private boolean warned;

  Canary(
      JmsOptions options,
      Provider provider,
      Executor control,
      BrokerListener listener,
      LongSupplier clockNs,
      GatewayMetrics metrics) {
    this.clockNs = clockNs;
    this.provider = provider;
    this.control = control;
    this.listener = listener;
    this.metrics = metrics;
    this.intervalMs = options.canaryIntervalMs();
    this.timeoutMs = options.canaryTimeoutMs();
    this.prefix = options.canaryPrefix() + ".";
    this.identities =
        new IdentityCheck(
            provider.identityProperty(),
            (state, reason) -> control.execute(() -> onIdentity(state, reason)));
  }

  /** Notifies the listener of the initial evidence for the identity of messages. */
  void start() {
    if (!provider.identityProperty().isEmpty()) {
      onIdentity(IdentityState.PROPERTY, "broker.identity-property");
    } else {
      boolean disabled = intervalMs == 0;
      listener.onIdentity(
          IdentityState.NONE,
          disabled ? "broker.canary.prefix disables canaries" : "no two canaries have returned");
    }
  }

  private void onIdentity(IdentityState state, String reason) {
    LoggingEventBuilder event = state.isComparable() ? log.atInfo() : log.atWarn();
    if (!state.isComparable()) {
      event.addKeyValue("without", "positions of other nodes are not recovered");
    }
    event.addKeyValue("state", state.code()).addKeyValue("cause", reason).log("identity.changed");
    listener.onIdentity(state, reason);
  }

  /** Returns the comparison of the ids of canaries. */
  IdentityCheck identities() {
    return identities;
  }

  private static ThreadPoolExecutor newThreads() {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            MAX_THREADS,
            MAX_THREADS,
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

  /** Starts to send canaries over connections on which all interests are active. */
  void onLive(List<BrokerConnection> connections) {
    if (intervalMs > 0) {
      identities.onConnected();
      Rounds rounds = new Rounds(connections.size(), intervalMs, clockNs);
      CanarySender next = new CanarySender(this, provider, connections, rounds, intervalMs);
      running = threads.submit(next); // fails if no thread can be started
      sender = next;
    }
  }

  /** Stops the canaries of lost connections and ignores those that still return. */
  void onLost() {
    if (sender != null) {
      sender.end();
      running.cancel(true);
      threads.purge();
      sender = null;
      probe = null;
    }
  }

  void stop() {
    onLost();
    threads.shutdownNow();
  }

  /** Returns whether the broker is unresponsive, so that its connections count as lost. */
  boolean isTimedOut() {
    long idleMs = sender == null ? 0 : sender.idleMs();
    if (idleMs < timeoutMs) {
      return false;
    }
    if (!everReturned) {
      warn("no canary has returned since the node started");
      return false;
    }
    log.atWarn().addKeyValue("for-ms", idleMs).log("broker.silent");
    metrics.brokerTimedOut();
    return true;
  }

  /** Returns whether a topic, in Sluice's syntax, is that of a canary of any node. Any thread. */
  boolean isCanary(String topic) {
    return topic.startsWith(prefix);
  }

  /** Returns whether a pattern may match topics of canaries. Any thread. */
  boolean mayMatch(String pattern) {
    return prefix.length() > 1 && TopicPattern.mayMatchBelow(pattern, prefix);
  }

  /** Returns the topic of one connection's canaries, in Sluice's syntax. Any thread. */
  String topic(int connection) {
    return prefix + instanceId + "." + connection;
  }

  /** Returns the topic of the {@link PatternProof}, in Sluice's syntax; null if there is none. */
  String proofTopic() {
    return intervalMs > 0 ? prefix + instanceId + ".patterns" : null;
  }

  /** Returns the topic of the node's {@link DurableMarker}, in Sluice's syntax. */
  String markerTopic(String clientId) {
    return prefix + "keepsake." + Long.toHexString(MessageIdentity.of(clientId));
  }

  /** Returns whether a round has returned since the latest call. */
  boolean pollReturned() {
    boolean polled = returned;
    returned = false;
    return polled;
  }

  /** Returns the number of the next round. Any thread. */
  long nextNumber() {
    return numbers.incrementAndGet();
  }

  /** Evaluates a round whose canaries have all returned. Any thread. */
  void onReturned(CanarySender from, Returned round) {
    control.execute(
        () -> {
          if (from == sender) {
            onReturned(round);
          }
        });
  }

  // A proof requires two rounds: the first one may have overtaken messages of a lagging topic.
  // Until
  // the second one has returned, these messages identify lagging topics.
  private void onReturned(Returned round) {
    everReturned = true;
    returned = true;
    warned = false;
    long roundTripMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - round.sentNs());
    listener.onCanary(round.sequence(), roundTripMs);
    if (probe != null && round.number() <= confirmedAbove) {
      return;
    }
    if (probe != null) {
      metrics.brokerProven(probe.sentNs());
      listener.onProof(TimeUnit.NANOSECONDS.toMillis(probe.sentNs()));
    }
    probe = round;
    confirmedAbove = numbers.get();
    listener.onProbe(round.sequence());
  }

  /** Logs that a responsive broker refuses canaries. Any thread. */
  void onRefused(CanarySender from, String cause) {
    control.execute(
        () -> {
          if (from == sender) {
            warn(ServiceUrl.masked(cause));
          }
        });
  }

  private void warn(String cause) {
    if (warned) {
      return;
    }
    warned = true;
    if (identities.isUnknown()) {
      listener.onIdentity(IdentityState.NONE, "no canary returns: " + cause);
    }
    log.atWarn()
        .addKeyValue("topics", prefix + ">")
        .addKeyValue("needs", "permissions to create, consume and publish these topics")
        .addKeyValue(
            "without", "an unresponsive broker is not detected, and only messages prove delivery")
        .addKeyValue("cause", cause)
        .log("canary.refused");
  }

  /**
   * Complete round. Immutable, for any thread.
   *
   * @param number number of the round
   * @param sentNs time before its first canary was sent, by {@link System#nanoTime}. Unlike the
   *     idle time, it includes suspensions of the process
   * @param sequence the smallest sequence of its canaries, or {@link Broker#NO_SEQUENCE}
   */
  record Returned(long number, long sentNs, long sequence) {}

  /**
   * Outstanding canaries of one set of connections. A round is one canary for each connection; it
   * is complete when all of them have returned. Any thread.
   */
  static final class Rounds {
    /** Maximum number of outstanding rounds. The idle time of removed rounds still counts. */
    private static final int MAX_ROUNDS = 64;

    private final int connections;
    private final long intervalNs;
    private final LongSupplier nanoTime;
    private final Deque<Round> outstanding = new ArrayDeque<>();

    /** Start of the wait for the next round; undefined while no round is outstanding. */
    private long waitingSinceNs;

    /**
     * Creates an instance without rounds.
     *
     * @param connections number of canaries of a round
     * @param intervalMs time between two rounds
     */
    Rounds(int connections, long intervalMs, LongSupplier nanoTime) {
      this.connections = connections;
      this.intervalNs = TimeUnit.MILLISECONDS.toNanos(intervalMs);
      this.nanoTime = nanoTime;
      this.waitingSinceNs = nanoTime.getAsLong();
    }

    /** Adds a round that is about to be sent. */
    synchronized void begin(long number, long sentNs) {
      if (outstanding.isEmpty()) {
        // The time during which the process was suspended does not count as idle time.
        long now = nanoTime.getAsLong();
        waitingSinceNs = now - Math.min(now - waitingSinceNs, intervalNs);
      } else if (outstanding.size() == MAX_ROUNDS) {
        outstanding.removeFirst();
      }
      outstanding.addLast(new Round(number, sentNs, connections));
    }

    /**
     * Records the return of a canary.
     *
     * @param sequence the broker's number of the canary
     * @return its round if that is complete now, otherwise null
     */
    synchronized Returned onReturned(int connection, long number, long sequence) {
      for (Round round : outstanding) {
        if (round.number == number) {
          round.missing.clear(connection);
          round.sequence = Math.min(round.sequence, sequence);
          return round.missing.isEmpty() ? complete(round) : null;
        }
      }
      return null;
    }

    // Removes earlier rounds, too: they would prove less.
    private Returned complete(Round round) {
      while (outstanding.removeFirst() != round) {
        // until the round itself is removed
      }
      waitingSinceNs = nanoTime.getAsLong();
      return new Returned(round.number, round.sentNs, round.sequence);
    }

    /** Removes all rounds. */
    synchronized void clear() {
      outstanding.clear();
    }

    /**
     * Returns the longest idle time of a connection whose canary is missing, in milliseconds; 0
     * while no round is outstanding. A connection over which messages arrive is not idle, even if
     * its canary is late.
     *
     * @param arrivalNs time of the latest message of a connection, by the clock of this instance
     */
    synchronized long idleMs(IntToLongFunction arrivalNs) {
      Round oldest = outstanding.peekFirst();
      if (oldest == null) {
        return 0;
      }
      long now = nanoTime.getAsLong();
      long longest =
          oldest.missing.stream()
              .mapToLong(c -> Math.min(now - waitingSinceNs, now - arrivalNs.applyAsLong(c)))
              .max()
              .orElse(0);
      return TimeUnit.NANOSECONDS.toMillis(Math.max(0, longest));
    }
  }

  private static final class Round {
    private final long number;
    private final long sentNs;
    private final BitSet missing;
    private long sequence = Long.MAX_VALUE;

    Round(long number, long sentNs, int connections) {
      this.number = number;
      this.sentNs = sentNs;
      this.missing = new BitSet(connections);
      missing.set(0, connections);
    }
  }
}
