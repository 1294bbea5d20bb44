package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.bytes;
import static io.sluice.gateway.config.Setting.duration;
import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.internal;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;

/** Configuration keys of limits and quotas. Constants only. */
public final class LimitSettings {
  private static final long KIB = 1024;
  private static final long MIB = 1024 * KIB;
  public static final Setting<Long> MESSAGE_BYTES =
      bytes(
          "limits.message-bytes",
          64 * KIB,
          125,
          1024 * MIB,
          "Maximum size of a client's message, over all fragments and after decompression; a"
              + " larger one closes the connection with 1009.");
  public static final Setting<Long> BROKER_MESSAGE_BYTES =
      bytes(
          "limits.broker-message-bytes",
          MIB,
          1,
          1024 * MIB,
          "Maximum payload of a message from the broker; a larger one becomes a gap.");
  public static final Setting<Integer> SUBSCRIPTIONS =
      integer("limits.subscriptions", 1000, 1, 10_000_000, "Maximum subscriptions per client.");

  public static final Setting<Integer> CONSUMERS =
      integer("limits.consumers", 16, 1, 10_000_000, "Maximum consumers of queues per client.");
  public static final Setting<Integer> CONSUMER_CREDIT =
      integer(
          "limits.consumer-credit",
          1000,
          1,
          100_000,
          "Maximum credit of a consumer: messages delivered and not settled.");

  public static final Setting<Integer> DURABLES =
      integer(
          "limits.durables",
          10,
          1,
          10_000,
          "Maximum durable subscriptions of a principal at the broker. Not checked with the"
              + " providers factory and jndi.");
  public static final Setting<Integer> TRANSACTION =
      integer(
          "limits.transaction",
          100,
          1,
          10_000,
          "Maximum publishes and acknowledgements of a transaction.");

  /** Maximum number of concrete topics with a channel number for binary messages. */
  public static final Setting<Integer> CHANNELS = internal("limits.channels", 1_000_000);

  public static final Setting<Long> PENDING_BYTES =
      bytes(
          "limits.pending-bytes",
          MIB,
          4 * KIB,
          1024 * MIB,
          "Maximum pending bytes per client, plus 96 for each buffer; beyond it the client is"
              + " closed with 4000.");

  /** Maximum size of the lists from which one event loop replays snapshots, in bytes. */
  public static final Setting<Long> SNAPSHOT_BYTES = internal("limits.snapshot-bytes", 16 * MIB);

  /** Maximum number of messages in the queue of one event loop. */
  public static final Setting<Integer> SHARD_QUEUE = internal("limits.shard-queue", 65_536);

  /** Maximum bytes of the frames of the messages in the queue of one event loop. */
  public static final Setting<Long> SHARD_QUEUE_BYTES =
      internal("limits.shard-queue-bytes", 64 * MIB);

  /** Maximum number of messages of one topic or pattern that wait to be encoded. */
  public static final Setting<Integer> INGRESS_QUEUE = internal("limits.ingress-queue", 65_536);

  /** Maximum bytes of the messages of one topic or pattern that wait to be encoded. */
  public static final Setting<Long> INGRESS_QUEUE_BYTES =
      internal("limits.ingress-queue-bytes", 64 * MIB);

  public static final Setting<Long> INGRESS_MEMORY =
      bytes(
          "limits.ingress-memory",
          128 * MIB,
          MIB,
          64 * 1024 * MIB,
          "Maximum bytes of messages of all topics that wait to be encoded. Beyond it, topics"
              + " with more than an equal share drop messages and report a gap.");

  /** Maximum number of pending handshakes per event loop. */
  public static final Setting<Integer> HANDSHAKES = Setting.internal("limits.handshakes", 10_000);

  /** Maximum number of addresses with quota counters. */
  public static final Setting<Integer> ADDRESSES = Setting.internal("limits.addresses", 100_000);

  /** Delay of an event loop's timer above which the loop admits no clients; 0: no limit. */
  public static final Setting<Duration> OVERLOAD_LAG =
      Setting.internal("limits.overload-lag", ofSeconds(1));

  public static final Setting<Integer> FRAME_RATE =
      integer(
          "limits.frame-rate",
          1000,
          0,
          100_000,
          "Average rate of messages, pings and pongs per second from one client, and of lines of a"
              + " stream's request; 0: no limit. Beyond ten seconds' worth, the client is closed with"
              + " 4205.");

  public static final Setting<Integer> TOPIC_PUBLISH_RATE =
      integer(
          "limits.topic-publish-rate",
          0,
          0,
          10_000_000,
          "Average publishes per second of all clients to one topic, with bursts of one second's"
              + " worth. limits.per-node.topics topics are counted individually, all others"
              + " together; 0: no limit.");
  public static final Setting<Integer> PUBLISH_RATE =
      integer(
          "limits.publish-rate",
          100,
          1,
          10_000_000,
          "Average publishes per second and client, with bursts of one second's worth.");

  public static final Setting<Integer> REQUESTS =
      integer("limits.requests", 100, 0, 10_000, "Maximum pending requests per client.");
  public static final Setting<Duration> REQUEST_TIMEOUT =
      duration(
          "limits.request-timeout",
          ofSeconds(60),
          ofMillis(1),
          ofHours(1),
          "Maximum time that a request may wait for its reply.");

  /** Subscribe requests per second and client, after a burst of limits.subscriptions. */
  public static final Setting<Integer> SUBSCRIBE_RATE = internal("limits.subscribe-rate", 100);

  public static final Setting<Integer> SELECTOR_LENGTH =
      integer(
          "limits.selector-length",
          4_096,
          1,
          65_536,
          "Maximum characters of a selector (where); a longer one is rejected with"
              + " invalid-selector.");

  public static final Setting<Integer> SELECTORS =
      integer(
          "limits.selectors",
          100,
          0,
          100_000,
          "Maximum different selectors of a client, counted per topic.");
  public static final Setting<Integer> TOPIC_SELECTORS =
      integer(
          "limits.topic-selectors",
          1_000,
          0,
          100_000,
          "Maximum different selectors of a topic or pattern that the node evaluates for each"
              + " message.");
  public static final Setting<Integer> BROKER_SELECTORS =
      integer(
          "limits.broker-selectors",
          10,
          0,
          10_000,
          "Maximum different selectors of a topic or pattern of topics.broker-selectors; the"
              + " broker sends each its messages separately.");

  public static final Setting<Integer> PRESENCE_MEMBERS =
      integer(
          "limits.presence-members",
          100,
          0,
          10_000,
          "Maximum members of a topic that nodes exchange and clients receive; of more, only the"
              + " count.");
  public static final Setting<Integer> PRESENCE_INFO =
      integer(
          "limits.presence-info",
          256,
          0,
          1_024,
          "Maximum bytes of the JSON that a client attaches to its presence (info).");

  public static final Setting<Long> HANDSHAKE_BYTES =
      bytes(
          "limits.handshake-bytes",
          16 * KIB,
          KIB,
          MIB,
          "Maximum size of the headers of an HTTP request, including cookies, and of its first"
              + " line; beyond it 431 or 414.");

  /** Frames of a client buffered before authentication, in bytes; plus 256 for each. */
  public static final Setting<Long> PRE_AUTH_BYTES = internal("limits.entering-bytes", MIB);

  /** Maximum number of revocations that the node stores. */
  public static final Setting<Integer> REVOCATIONS = internal("limits.revocations", 100_000);

  /** Maximum number of connections to the admin port. */
  public static final Setting<Integer> ADMIN_CONNECTIONS = internal("limits.admin-connections", 64);

  /** Maximum size of the body of a stream's request, in bytes. */
  public static final Setting<Long> STREAM_BODY_BYTES =
      Setting.internal("limits.stream-body-bytes", MIB);

  /** Maximum bytes of all such bodies that an event loop is receiving. */
  public static final Setting<Long> STREAM_BODIES_BYTES =
      internal("limits.stream-bodies-bytes", 64 * MIB);

  /**
   * Number of malformed frames that closes a connection with 4203. Also the rate per second of
   * other refusals, with bursts of ten seconds' worth, past which the answer is rate-limited.
   */
  public static final Setting<Integer> CLIENT_ERRORS = internal("limits.client-errors", 100);

  public static final Setting<Integer> CONNECTIONS =
      integer(
          "limits.per-node.connections",
          100_000,
          1,
          10_000_000,
          "Client connections; further handshakes are answered with 503.");

  public static final Setting<Integer> HANDSHAKE_RATE =
      integer(
          "limits.per-node.handshake-rate",
          0,
          0,
          10_000_000,
          "Handshakes and stream requests per second; beyond it 503; 0: no limit.");

  public static final Setting<Integer> TOPICS =
      integer(
          "limits.per-node.topics",
          10_000,
          1,
          10_000_000,
          "Topics and patterns with a consumer at the broker.");
  public static final Setting<Integer> NODE_SUBSCRIPTIONS =
      integer(
          "limits.per-node.subscriptions",
          0,
          0,
          100_000_000,
          "Subscriptions of all clients; 0: no limit.");
  public static final Setting<Integer> NODE_PUBLISH_RATE =
      integer(
          "limits.per-node.publish-rate",
          0,
          0,
          10_000_000,
          "Publishes per second of all clients; 0: no limit.");
  public static final Setting<Integer> NODE_REQUESTS =
      integer(
          "limits.per-node.requests",
          10_000,
          0,
          1_000_000,
          "Pending requests of all clients; of one user at most half.");
  public static final Setting<Integer> NODE_CONSUMERS =
      integer(
          "limits.per-node.consumers",
          10_000,
          0,
          10_000_000,
          "Consumers of queues of all clients; 0: no limit.");
  public static final Setting<Integer> ADDRESS_CONNECTIONS =
      integer(
          "limits.per-address.connections",
          50_000,
          0,
          10_000_000,
          "Client connections per address; further handshakes are answered with 429. As many"
              + " pending handshakes are allowed in addition; beyond that the oldest is closed; 0:"
              + " no limit.");
  public static final Setting<Integer> ADDRESS_HANDSHAKE_RATE =
      integer(
          "limits.per-address.handshake-rate",
          5_000,
          0,
          10_000_000,
          "Handshakes, other requests, and connections without a request per second and address."
              + " Beyond it 429, or TLS handshakes are rejected; beyond ten times the rate plain"
              + " connections are closed; 0: no limit.");
  public static final Setting<Integer> ADDRESS_SUBSCRIPTIONS =
      integer(
          "limits.per-address.subscriptions",
          500_000,
          0,
          100_000_000,
          "Subscriptions of clients without a credential per address; 0: no limit.");
  public static final Setting<Integer> ADDRESS_TOPICS =
      integer(
          "limits.per-address.topics",
          5_000,
          0,
          10_000_000,
          "Topics and patterns whose only subscribers are clients of one address without a"
              + " principal; 0: no limit.");
  public static final Setting<Integer> ADDRESS_PUBLISH_RATE =
      integer(
          "limits.per-address.publish-rate",
          2_000,
          0,
          10_000_000,
          "Publishes per second of clients without a credential per address; 0: no limit.");
  public static final Setting<Integer> ADDRESS_CONSUMERS =
      integer(
          "limits.per-address.consumers",
          2_000,
          0,
          10_000_000,
          "Consumers of queues of clients without a credential per address; 0: no limit.");

  public static final Setting<Integer> PRINCIPAL_CONNECTIONS =
      integer(
          "limits.per-principal.connections",
          10_000,
          0,
          10_000_000,
          "Sessions per principal; further ones are closed with 4003; 0: no limit.");
  public static final Setting<Integer> PRINCIPAL_HANDSHAKE_RATE =
      integer(
          "limits.per-principal.handshake-rate",
          1_000,
          0,
          10_000_000,
          "New sessions per second and principal; further ones are closed with 4003; 0: no"
              + " limit.");
  public static final Setting<Integer> PRINCIPAL_SUBSCRIPTIONS =
      integer(
          "limits.per-principal.subscriptions",
          100_000,
          0,
          100_000_000,
          "Subscriptions per principal; 0: no limit.");
  public static final Setting<Integer> PRINCIPAL_TOPICS =
      integer(
          "limits.per-principal.topics",
          2_000,
          0,
          10_000_000,
          "Topics and patterns whose only subscribers belong to one principal; 0: no limit.");
  public static final Setting<Integer> PRINCIPAL_PUBLISH_RATE =
      integer(
          "limits.per-principal.publish-rate",
          2_000,
          0,
          10_000_000,
          "Publishes per second and principal; 0: no limit.");
  public static final Setting<Integer> PRINCIPAL_CONSUMERS =
      integer(
          "limits.per-principal.consumers",
          2_000,
          0,
          10_000_000,
          "Consumers of queues per principal; 0: no limit.");

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          MESSAGE_BYTES,
          BROKER_MESSAGE_BYTES,
          SUBSCRIPTIONS,
          CONSUMERS,
          CONSUMER_CREDIT,
          DURABLES,
          TRANSACTION,
          PENDING_BYTES,
          INGRESS_MEMORY,
          FRAME_RATE,
          TOPIC_PUBLISH_RATE,
          PUBLISH_RATE,
          REQUESTS,
          REQUEST_TIMEOUT,
          SELECTOR_LENGTH,
          SELECTORS,
          TOPIC_SELECTORS,
          BROKER_SELECTORS,
          PRESENCE_MEMBERS,
          PRESENCE_INFO,
          HANDSHAKE_BYTES,
          CONNECTIONS,
          HANDSHAKE_RATE,
          TOPICS,
          NODE_SUBSCRIPTIONS,
          NODE_PUBLISH_RATE,
          NODE_REQUESTS,
          NODE_CONSUMERS,
          ADDRESS_CONNECTIONS,
          ADDRESS_HANDSHAKE_RATE,
          ADDRESS_SUBSCRIPTIONS,
          ADDRESS_TOPICS,
          ADDRESS_PUBLISH_RATE,
          ADDRESS_CONSUMERS,
          PRINCIPAL_CONNECTIONS,
          PRINCIPAL_HANDSHAKE_RATE,
          PRINCIPAL_SUBSCRIPTIONS,
          PRINCIPAL_TOPICS,
          PRINCIPAL_PUBLISH_RATE,
          PRINCIPAL_CONSUMERS);

  private LimitSettings() {}
}
