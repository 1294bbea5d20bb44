package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.bytes;
import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.internal;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;

/** Configuration keys that bound what clients may use. Constants only. */
public final class LimitSettings {
  private static final long KIB = 1024;
  private static final long MIB = 1024 * KIB;
  public static final Setting<Long> MESSAGE_BYTES =
      bytes(
          "limits.message-bytes",
          64 * KIB,
          125,
          1024 * MIB,
          "One message from a client, all fragments, inflated; past it 1009.");
  public static final Setting<Long> BROKER_MESSAGE_BYTES =
      bytes(
          "limits.broker-message-bytes",
          MIB,
          1,
          1024 * MIB,
          "Payload of one message from the broker; a larger one is dropped and told as a gap.");
  public static final Setting<Integer> SUBSCRIPTIONS =
      integer("limits.subscriptions", 1000, 1, 10_000_000, "Subscriptions a client.");

  /** Largest number of patterns that the rules and a client's claims grant together. */
  public static final Setting<Integer> GRANTS = internal("limits.grants", 1000);

  /** Most concrete topics with a channel number for binary messages. */
  public static final Setting<Integer> CHANNELS = internal("limits.channels", 1_000_000);

  /** Most characters of a topic or pattern. */
  public static final Setting<Integer> TOPIC_LENGTH = internal("limits.topic-length", 255);

  /** Most levels of a topic or pattern. */
  public static final Setting<Integer> TOPIC_DEPTH = internal("limits.topic-depth", 16);

  public static final Setting<Long> PENDING_BYTES =
      bytes(
          "limits.pending-bytes",
          MIB,
          4 * KIB,
          1024 * MIB,
          "Bytes that may wait for one client, each buffer counted with 96 more; a frame more and the"
              + " client is closed with 4000.");

  /** Most bytes of the lists from which one event loop replays snapshots. */
  public static final Setting<Long> SNAPSHOT_BYTES = internal("limits.snapshot-bytes", 16 * MIB);

  /** Most messages that wait for one event loop. */
  public static final Setting<Integer> SHARD_QUEUE = internal("limits.shard-queue", 65_536);

  /** Most payload bytes of the messages that wait for one event loop. */
  public static final Setting<Long> SHARD_QUEUE_BYTES =
      internal("limits.shard-queue-bytes", 64 * MIB);

  /** Most messages of one topic or pattern that wait to be encoded. */
  public static final Setting<Integer> INGRESS_QUEUE = internal("limits.ingress-queue", 16_384);

  /** Most bytes of the messages of one topic or pattern that wait to be encoded. */
  public static final Setting<Long> INGRESS_QUEUE_BYTES =
      internal("limits.ingress-queue-bytes", 16 * MIB);

  public static final Setting<Long> INGRESS_MEMORY =
      bytes(
          "limits.ingress-memory",
          128 * MIB,
          MIB,
          64 * 1024 * MIB,
          "Bytes of the messages of all topics that may wait to be encoded; past it topics that hold"
              + " more than an equal share drop messages and report a gap.");

  /** Connections of an event loop that are neither WebSockets nor streams yet. */
  public static final Setting<Integer> HANDSHAKES = Setting.internal("limits.handshakes", 10_000);

  /** Addresses that are counted at once. */
  public static final Setting<Integer> ADDRESSES = Setting.internal("limits.addresses", 100_000);

  /** Lateness of an event loop's timer from which the loop admits no clients; 0: none. */
  public static final Setting<Duration> OVERLOAD_LAG =
      Setting.internal("limits.overload-lag", ofSeconds(1));

  public static final Setting<Integer> FRAME_RATE =
      integer(
          "limits.frame-rate",
          1000,
          0,
          100_000,
          "Messages, pings and pongs a second from one client, and the lines of a stream's request, on"
              + " average; 62 further fragments of messages count as one. Ten seconds' worth may come"
              + " at once. Past it 4205; 0: no limit.");

  /** Bytes a second of one WebSocket; 0: no limit. */
  public static final Setting<Long> RECEIVE_RATE = Setting.internal("limits.receive-rate", 0L);

  public static final Setting<Integer> TOPIC_PUBLISH_RATE =
      integer(
          "limits.topic-publish-rate",
          0,
          0,
          10_000_000,
          "Publishes a second of all clients to one topic, on average; one second's worth may come at"
              + " once. limits.per-node.topics of them are counted one by one, all others as one; 0: no limit.");
  public static final Setting<Integer> PUBLISH_RATE =
      integer(
          "limits.publish-rate",
          100,
          1,
          10_000_000,
          "Publishes a second and client, on average; one second's worth may come at once.");

  /** Subscribes a second and client, after it has made as many as it may hold. */
  public static final Setting<Integer> SUBSCRIBE_RATE = internal("limits.subscribe-rate", 100);

  public static final Setting<Long> HANDSHAKE_BYTES =
      bytes(
          "limits.handshake-bytes",
          8 * KIB,
          KIB,
          MIB,
          "Headers of one HTTP request; past it the request is refused.");

  /** Credential refreshes a second and client; five seconds may come at once. */
  public static final Setting<Integer> REFRESH_RATE = internal("limits.refresh-rate", 1);

  /** Frames of a client buffered before authentication, in bytes; each counts 256 more. */
  public static final Setting<Long> ENTERING_BYTES = internal("limits.entering-bytes", MIB);

  /** Frames of all clients buffered before authentication, in bytes. */
  public static final Setting<Long> ENTERING_NODE_BYTES =
      internal("limits.entering-node-bytes", 64 * MIB);

  /** Largest number of revocations that the node stores. */
  public static final Setting<Integer> REVOCATIONS = internal("limits.revocations", 100_000);

  /** Wrong tokens a second that the admin port answers with 401; past it 429. */
  public static final Setting<Integer> ADMIN_FAILURES = internal("limits.admin-failures", 10);

  /** Largest number of connections of the admin port. */
  public static final Setting<Integer> ADMIN_CONNECTIONS = internal("limits.admin-connections", 64);

  /** Bytes of the body of one request for a stream. */
  public static final Setting<Long> STREAM_BODY_BYTES =
      Setting.internal("limits.stream-body-bytes", MIB);

  /** Bytes of all such bodies that an event loop is reading. */
  public static final Setting<Long> STREAM_BODIES_BYTES =
      internal("limits.stream-bodies-bytes", 64 * MIB);

  /** Errors that close a connection with 4203; rate-limited does not count. */
  public static final Setting<Integer> CLIENT_ERRORS = internal("limits.client-errors", 100);

  public static final Setting<Integer> CONNECTIONS =
      integer(
          "limits.per-node.connections",
          100_000,
          1,
          10_000_000,
          "Client connections of the node; past it the handshake is answered with 503.");

  public static final Setting<Integer> HANDSHAKE_RATE =
      integer(
          "limits.per-node.handshake-rate",
          0,
          0,
          10_000_000,
          "Handshakes and requests for streams a second, on average; one second's worth may come at"
              + " once. Past it 503; 0: no limit.");

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
          "Subscriptions of all clients of the node; 0: no limit.");
  public static final Setting<Integer> NODE_PUBLISH_RATE =
      integer(
          "limits.per-node.publish-rate",
          0,
          0,
          10_000_000,
          "Publishes a second of all clients of the node, on average; one second's worth may come at"
              + " once. 0: no limit.");
  public static final Setting<Integer> ADDRESS_CONNECTIONS =
      integer(
          "limits.per-address.connections",
          10_000,
          0,
          10_000_000,
          "Client connections of an address, or of an IPv6 /64; past it the handshake is answered with"
              + " 429. As many more may be pending handshakes; past that the oldest is closed. Not more"
              + " than half of limits.per-node.connections unless set; 0: no limit.");
  public static final Setting<Integer> ADDRESS_HANDSHAKE_RATE =
      integer(
          "limits.per-address.handshake-rate",
          1_000,
          0,
          10_000_000,
          "Handshakes and other requests of an address a second, on average; one second's worth may"
              + " come at once. A connection without a request counts as one. Past it 429, or with TLS no TLS"
              + " handshake; past ten times of it plain connections are closed. Not more than half of"
              + " limits.per-node.handshake-rate unless set; 0: no limit.");
  public static final Setting<Integer> ADDRESS_SUBSCRIPTIONS =
      integer(
          "limits.per-address.subscriptions",
          100_000,
          0,
          100_000_000,
          "Subscriptions of an address over all its connections. Not more than half of"
              + " limits.per-node.subscriptions unless set; 0: no limit.");
  public static final Setting<Integer> ADDRESS_TOPICS =
      integer(
          "limits.per-address.topics",
          2_000,
          0,
          10_000_000,
          "Topics and patterns to which nobody but one address is subscribed. Not more than half of"
              + " limits.per-node.topics unless set; 0: no limit.");
  public static final Setting<Integer> ADDRESS_PUBLISH_RATE =
      integer(
          "limits.per-address.publish-rate",
          2_000,
          0,
          10_000_000,
          "Publishes of an address a second over all its connections, on average; one second's worth"
              + " may come at once. Not more than half of limits.per-node.publish-rate unless set; 0: no"
              + " limit.");

  public static final Setting<Integer> PRINCIPAL_CONNECTIONS =
      integer(
          "limits.per-principal.connections",
          10_000,
          0,
          10_000_000,
          "Sessions of a principal; past it the client is closed with 4003. Clients without a credential"
              + " are not counted here. Not more than half of limits.per-node.connections unless set; 0: no"
              + " limit.");
  public static final Setting<Integer> PRINCIPAL_HANDSHAKE_RATE =
      integer(
          "limits.per-principal.handshake-rate",
          1_000,
          0,
          10_000_000,
          "Sessions a second that a principal begins, on average; one second's worth may come at once."
              + " Past it the client is closed with 4003. Not more than half of"
              + " limits.per-node.handshake-rate unless set; 0: no limit.");
  public static final Setting<Integer> PRINCIPAL_SUBSCRIPTIONS =
      integer(
          "limits.per-principal.subscriptions",
          100_000,
          0,
          100_000_000,
          "Subscriptions of a principal over all its sessions. Not more than half of"
              + " limits.per-node.subscriptions unless set; 0: no limit.");
  public static final Setting<Integer> PRINCIPAL_TOPICS =
      integer(
          "limits.per-principal.topics",
          2_000,
          0,
          10_000_000,
          "Topics and patterns to which nobody but one principal is subscribed. Not more than half of"
              + " limits.per-node.topics unless set; 0: no limit.");
  public static final Setting<Integer> PRINCIPAL_PUBLISH_RATE =
      integer(
          "limits.per-principal.publish-rate",
          2_000,
          0,
          10_000_000,
          "Publishes of a principal a second over all its sessions, on average; one second's worth may"
              + " come at once. Not more than half of limits.per-node.publish-rate unless set; 0: no limit.");

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          MESSAGE_BYTES,
          BROKER_MESSAGE_BYTES,
          SUBSCRIPTIONS,
          PENDING_BYTES,
          INGRESS_MEMORY,
          FRAME_RATE,
          TOPIC_PUBLISH_RATE,
          PUBLISH_RATE,
          HANDSHAKE_BYTES,
          CONNECTIONS,
          HANDSHAKE_RATE,
          TOPICS,
          NODE_SUBSCRIPTIONS,
          NODE_PUBLISH_RATE,
          ADDRESS_CONNECTIONS,
          ADDRESS_HANDSHAKE_RATE,
          ADDRESS_SUBSCRIPTIONS,
          ADDRESS_TOPICS,
          ADDRESS_PUBLISH_RATE,
          PRINCIPAL_CONNECTIONS,
          PRINCIPAL_HANDSHAKE_RATE,
          PRINCIPAL_SUBSCRIPTIONS,
          PRINCIPAL_TOPICS,
          PRINCIPAL_PUBLISH_RATE);

  private LimitSettings() {}
}
