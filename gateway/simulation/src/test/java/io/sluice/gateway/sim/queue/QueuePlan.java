package io.sluice.gateway.sim.queue;

import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.sim.SeededRandom;
import io.sluice.gateway.sim.SimulatedConnection;
import java.time.Duration;
import java.util.List;

/** Parameters of one run, derived from the seed. Times are microseconds. */
final class QueuePlan {
  static final long MILLI = 1_000;
  static final long SECOND = 1_000_000;

  /** Queues of messages that clients consume. */
  static final List<String> QUEUES = List.of("q.a", "q.b");

  /** Queue of requests that an application at the broker answers. */
  static final String SERVICE = "q.service";

  /** Queue of requests that clients answer. */
  static final String CLIENT_SERVICE = "q.clients";

  /** Limit of a node; half of it applies to each address. */
  private static final int NODE_CONSUMERS = 60;

  private static final int MANY = 1_000_000;

  final int nodes;
  final int clients;
  final long latency;
  final long loopLag;

  /** Maximum delay of a packet between a node and the broker. */
  final long brokerLatency;

  /** One in this many calls of the broker is slow, up to {@link #slowCall}. */
  final int slowCallOneIn;

  final long slowCall;
  final int failedCallOneIn;
  final int refusedOneIn;
  final int maxCredit;
  final long ackTimeout;
  final long callTimeout;

  /** Maximum number of deliveries of a message. */
  final int maxAttempts;

  /** True if the node moves messages with too many attempts, false if the broker does. */
  final boolean nodeLimitsAttempts;

  /** True if a restart of the broker resets the delivery counts. */
  final boolean losesCounts;

  final int nonPersistentOneIn;
  final int expiringOneIn;
  final int payloadBytes;
  final long publishMean;
  final int burst;
  final long actionMean;
  final long clientCutMean;
  final long clientPauseMean;
  final long nodeFaultMean;
  final long linkFaultMean;
  final long restartMean;
  final long sessionFaultMean;
  final long skew;

  /** True if some clients read slowly. */
  final boolean slowReaders;

  final SimulatedConnection.Network network;
  final Config config;

  QueuePlan(SeededRandom random) {
    nodes = 1 + random.below(3);
    clients = 2 + random.below(4);
    latency = random.of(List.of(MILLI, 10 * MILLI, 100 * MILLI));
    loopLag = random.of(List.of(MILLI, 10 * MILLI, 100 * MILLI));
    brokerLatency = random.of(List.of(MILLI, 10 * MILLI, 200 * MILLI));
    callTimeout = random.between(2, 6) * SECOND;
    slowCallOneIn = random.of(List.of(MANY, 100, 20));
    slowCall = random.of(List.of(SECOND, callTimeout, 2 * callTimeout));
    failedCallOneIn = random.of(List.of(MANY, 200, 30));
    refusedOneIn = random.of(List.of(MANY, 20));
    maxCredit = random.of(List.of(1, 3, 10, 10, 600));
    ackTimeout = random.between(1, 8) * SECOND;
    maxAttempts = random.of(List.of(2, 5, 20));
    nodeLimitsAttempts = random.oneIn(2);
    losesCounts = random.oneIn(2);
    nonPersistentOneIn = random.of(List.of(MANY, 5));
    expiringOneIn = random.of(List.of(MANY, 5));
    payloadBytes = random.of(List.of(10, 10, 300));
    publishMean = random.of(List.of(20 * MILLI, 100 * MILLI, 500 * MILLI));
    burst = random.of(List.of(1, 20, 400));
    actionMean = random.of(List.of(30 * MILLI, 100 * MILLI, 300 * MILLI));
    clientCutMean = random.between(1, 10) * SECOND;
    clientPauseMean = random.between(1, 20) * SECOND;
    nodeFaultMean = random.between(3, 40) * SECOND;
    linkFaultMean = random.between(1, 20) * SECOND;
    restartMean = random.between(3, 40) * SECOND;
    sessionFaultMean = random.between(1, 20) * SECOND;
    skew = random.between(0, 2 * SECOND);
    slowReaders = random.oneIn(3);
    network =
        new SimulatedConnection.Network(
            SECOND, latency, (int) random.between(200, 8_000), random.of(List.of(2_000, 10_000)));
    config = config(random);
  }

  private static Config config(SeededRandom random) {
    return Config.defaults()
        .with(AuthSettings.ANONYMOUS, true)
        .with(TopicSettings.QUEUES_SEND, List.of("q.>"))
        .with(TopicSettings.QUEUES_CONSUME, List.of("q.>"))
        .with(TopicSettings.QUEUES_BROWSE, List.of("q.>"))
        .with(LimitSettings.PUBLISH_RATE, MANY)
        .with(LimitSettings.SUBSCRIBE_RATE, MANY)
        .with(LimitSettings.CLIENT_ERRORS, MANY)
        .with(LimitSettings.CONSUMER_CREDIT, 1_000)
        .with(LimitSettings.NODE_CONSUMERS, NODE_CONSUMERS)
        .with(LimitSettings.REQUESTS, random.of(List.of(3, 100)))
        .with(LimitSettings.REQUEST_TIMEOUT, Duration.ofSeconds(60))
        .with(LimitSettings.PENDING_BYTES, random.of(List.of(4_096L, 65_536L)));
  }

  @Override
  public String toString() {
    return "nodes=%d clients=%d latency=%dms broker=%dms lag=%dms credit=%d ack=%ds call=%ds"
            .formatted(
                nodes,
                clients,
                latency / MILLI,
                brokerLatency / MILLI,
                loopLag / MILLI,
                maxCredit,
                ackTimeout / SECOND,
                callTimeout / SECOND)
        + " attempts=%d by %s counts=%s burst=%d slow calls=1/%d to %dms slow readers=%s"
            .formatted(
                maxAttempts,
                nodeLimitsAttempts ? "node" : "broker",
                losesCounts ? "lost" : "kept",
                burst,
                slowCallOneIn,
                slowCall / MILLI,
                slowReaders);
  }
}
