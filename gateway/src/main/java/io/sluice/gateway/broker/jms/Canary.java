package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.provider.Credentials;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.metrics.GatewayMetrics;
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

/**
 * Proof that the broker delivers: messages that the node sends to itself over each of its
 * connections. Decides what their return, refusal and absence mean; a {@link CanarySender} sends
 * and receives them. Bound to the control thread, unless a method says otherwise.
 *
 * <p>A connection that falls silent after canaries have returned is lost. A broker that refuses
 * canaries, or discards them from the start, may still deliver messages: then nothing is proven and
 * nothing is lost.
 */
final class Canary {
  private static final Logger log = LoggerFactory.getLogger(Canary.class);

  /** One sends; the others may be blocked in lost connections. Further senders wait. */
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

  /** Unique for all connections: a lost one's canary may still reach the next one's consumer. */
  private final AtomicLong numbers = new AtomicLong();

  private CanarySender sender;
  private Future<?> running;
  private boolean everReturned;

  /** The round that the next proof refers to, once a later one has returned; or null. */
  private Returned probe;

  /** The latest number at the return of the probe: a later round was sent after that. */
  private long confirmedAbove;

  private boolean warned;

  Canary(
      JmsOptions options,
      Provider provider,
      Executor control,
      BrokerListener listener,
      GatewayMetrics metrics) {
    this.provider = provider;
    this.control = control;
    this.listener = listener;
    this.metrics = metrics;
    this.intervalMs = options.canaryIntervalMs();
    this.patienceMs = options.canaryPatienceMs();
    this.prefix = options.canaryPrefix() + ".";
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

  /** Starts to send canaries: all interests are open on these connections. */
  void onLive(List<BrokerConnection> connections) {
    if (intervalMs > 0) {
      Rounds rounds = new Rounds(connections.size(), intervalMs, System::nanoTime);
      CanarySender next = new CanarySender(this, provider, connections, rounds, intervalMs);
      running = threads.submit(next); // which fails where there is no thread
      sender = next;
    }
  }

  /** Ignores what still returns over the connections: they are lost. */
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

  /** Whether the broker has fallen silent, so that its connections have to be taken for lost. */
  boolean isSilent() {
    long silentMs = sender == null ? 0 : sender.silentMs();
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

  /** The topic of the canaries of one connection, in our spelling. Any thread. */
  String topic(int connection) {
    return prefix + life + "." + connection;
  }

  /** Returns the topic of the node's {@link DurableMarker}, in the spelling of patterns. */
  String markerTopic(String clientId) {
    return prefix + "keepsake." + Long.toHexString(MessageIdentity.of(clientId));
  }

  /** The number of the next round. Any thread. */
  long nextNumber() {
    return numbers.incrementAndGet();
  }

  /** All canaries of a round have returned. Any thread. */
  void onReturned(CanarySender from, Returned round) {
    control.execute(
        () -> {
          if (from == sender) {
            onReturned(round);
          }
        });
  }

  // Two rounds make a proof: the first one may have overtaken messages of a topic that lags. Until
  // the second one has returned, these messages show which topics lag.
  private void onReturned(Returned round) {
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

  /** The broker answers, but refuses canaries. Any thread. */
  void onRefused(CanarySender from, String cause) {
    control.execute(
        () -> {
          if (from == sender) {
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

  /**
   * A complete round.
   *
   * @param number its number
   * @param sentMs wall clock before its first canary was sent
   * @param sequence the smallest of the broker's numbers of its canaries, or {@link
   *     Broker#NO_SEQUENCE}
   */
  record Returned(long number, long sentMs, long sequence) {}

  /**
   * The outstanding canaries of one set of connections. A round is one canary for each connection;
   * it is complete when all of them have returned. Any thread.
   */
  static final class Rounds {
    /** Older rounds are given up, but the silence since then still counts. */
    private static final int MOST_ROUNDS = 64;

    private final int connections;
    private final long intervalNanos;
    private final LongSupplier nanoTime;
    private final Deque<Round> outstanding = new ArrayDeque<>();

    /** Start of the wait for the next round; meaningless while no round is outstanding. */
    private long waitingSince;

    /**
     * Creates an instance without rounds.
     *
     * @param connections number of canaries of a round
     * @param intervalMs time between two rounds
     */
    Rounds(int connections, long intervalMs, LongSupplier nanoTime) {
      this.connections = connections;
      this.intervalNanos = TimeUnit.MILLISECONDS.toNanos(intervalMs);
      this.nanoTime = nanoTime;
      this.waitingSince = nanoTime.getAsLong();
    }

    /** Adds a round that is about to be sent. */
    synchronized void begin(long number, long sentMs) {
      if (outstanding.isEmpty()) {
        // A suspended process sends nothing: that is not a silence of the broker.
        long now = nanoTime.getAsLong();
        waitingSince = now - Math.min(now - waitingSince, intervalNanos);
      } else if (outstanding.size() == MOST_ROUNDS) {
        outstanding.removeFirst();
      }
      outstanding.addLast(new Round(number, sentMs, connections));
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

    // Earlier rounds would prove less.
    private Returned complete(Round round) {
      while (outstanding.removeFirst() != round) {
        // until it is removed, too
      }
      waitingSince = nanoTime.getAsLong();
      return new Returned(round.number, round.sentMs, round.sequence);
    }

    /** Removes all rounds. */
    synchronized void clear() {
      outstanding.clear();
    }

    /**
     * Returns for how long nothing has arrived over a connection whose canary is missing, in
     * milliseconds; 0 while no round is outstanding. A connection over which messages arrive is not
     * silent, however late its canary is.
     *
     * @param arrivalNs time of the latest message of a connection, by the clock of this instance
     */
    synchronized long silentMs(IntToLongFunction arrivalNs) {
      Round oldest = outstanding.peekFirst();
      if (oldest == null) {
        return 0;
      }
      long now = nanoTime.getAsLong();
      long longest =
          oldest.missing.stream()
              .mapToLong(c -> Math.min(now - waitingSince, now - arrivalNs.applyAsLong(c)))
              .max()
              .orElse(0);
      return TimeUnit.NANOSECONDS.toMillis(Math.max(0, longest));
    }
  }

  private static final class Round {
    private final long number;
    private final long sentMs;
    private final BitSet missing;
    private long sequence = Long.MAX_VALUE;

    Round(long number, long sentMs, int connections) {
      this.number = number;
      this.sentMs = sentMs;
      this.missing = new BitSet(connections);
      missing.set(0, connections);
    }
  }
}
