package io.sluice.gateway.session;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.auth.Access;
import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ClientFrameParser;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.ServerFrames;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.TopicRules;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Limits, codecs and counters that all sessions of a node share. For any thread. */
public final class SessionPolicy {
  private static final Logger log = LoggerFactory.getLogger(SessionPolicy.class);

  final ServerFrames frames;
  final ClientFrameParser parser = new ClientFrameParser();
  final GatewayMetrics metrics;
  final Hub hub;
  final long maxPendingBytes;
  final int maxSubscriptions;
  final int maxErrors;
  final int publishRate;
  final int overlap;

  /** How far the times of what a client is told about being caught up are apart at least. */
  final long caughtUpMs;

  final int subscribeRate;
  final int refreshRate;

  final Access access;
  final CredentialCheck credentials;

  final Moves moves;
  private final AtomicLong sessions = new AtomicLong();
  private final AtomicLong enteringBytes = new AtomicLong();
  private final long maxEnteringBytes;
  private final long maxEnteringBytesOfNode;
  private final long startedSecond = System.currentTimeMillis() / 1000;
  private final TopicRules topicRules;
  private final List<String> subscribeTopics;
  private final List<String> publishTopics;
  private final String node;
  private final String version;
  private final long pingIntervalMs;
  private final long maxMessageBytes;

  public SessionPolicy(
      Config config,
      String node,
      String version,
      ByteBufAllocator allocator,
      Hub hub,
      GatewayMetrics metrics,
      Access access) {
    this.access = access;
    this.credentials = new CredentialCheck(access);
    this.maxEnteringBytes = config.get(LimitSettings.ENTERING_BYTES);
    this.maxEnteringBytesOfNode = config.get(LimitSettings.ENTERING_NODE_BYTES);
    this.moves = new Moves(metrics, config.get(TimeoutSettings.PING).toMillis());
    this.frames = new ServerFrames(allocator);
    this.metrics = metrics;
    this.hub = hub;
    this.node = node;
    this.version = version;
    this.maxPendingBytes = config.get(LimitSettings.PENDING_BYTES);
    this.maxSubscriptions = config.get(LimitSettings.SUBSCRIPTIONS);
    this.maxErrors = config.get(LimitSettings.CLIENT_ERRORS);
    this.overlap = config.get(HistorySettings.RESUME_OVERLAP);
    this.caughtUpMs = Math.max(1, config.get(HistorySettings.RESUME_MARGIN).toMillis());
    this.publishRate = config.get(LimitSettings.PUBLISH_RATE);
    this.refreshRate = config.get(LimitSettings.REFRESH_RATE);
    this.subscribeRate = config.get(LimitSettings.SUBSCRIBE_RATE);
    this.maxMessageBytes = config.get(LimitSettings.MESSAGE_BYTES);
    this.pingIntervalMs = config.get(TimeoutSettings.PING).toMillis();
    this.topicRules = TopicSettings.topicRules(config);
    this.subscribeTopics = config.get(TopicSettings.SUBSCRIBE_TOPICS);
    this.publishTopics = publishTopics(config);
  }

  // Without patterns of the node's own, rules decide alone. Without rules nobody publishes.
  private static List<String> publishTopics(Config config) {
    List<String> patterns = config.get(TopicSettings.PUBLISH_TOPICS);
    boolean rulesDecide =
        !config.get(TopicSettings.PERMISSION_RULES).isEmpty()
            || !config.get(TopicSettings.PERMISSION_CLAIM).isEmpty();
    return patterns.isEmpty() && rulesDecide ? List.of(">") : patterns;
  }

  /** What is kept of what clients do and are refused. */
  public AuditLog audit() {
    return access.audit();
  }

  /** Where clients may be sent that follow redirects. */
  public Moves moves() {
    return moves;
  }

  /** The number of the next session of this node. */
  long nextSession() {
    return sessions.incrementAndGet();
  }

  /** What an operator calls a session; 0 is one that has not begun. */
  String sessionId(long number) {
    return number == 0 ? "" : node + "-" + startedSecond + "-" + number;
  }

  PreAuthBuffer newKeptFrames() {
    return new PreAuthBuffer(enteringBytes, maxEnteringBytes, maxEnteringBytesOfNode);
  }

  /** Our own code failed behind the back of the connection. */
  void onBug(RuntimeException bug) {
    log.atError().setCause(bug).log("client.bug");
  }

  ServerFrames.Hello hello(long number, Principal principal) {
    return new ServerFrames.Hello(
        node,
        version,
        sessionId(number),
        principal.mechanism().isRenewable() ? principal.expiresMs() : Principal.NEVER,
        System.currentTimeMillis(),
        hub.isLive(),
        pingIntervalMs,
        maxMessageBytes,
        maxSubscriptions,
        topicRules.maxLength(),
        topicRules.maxDepth(),
        publishRate,
        overlap);
  }

  /** Why a client may not subscribe to this, or null. */
  TopicRules.Problem subscribeProblem(String topic, Grant grant) {
    TopicRules.Problem problem = topicRules.checkPattern(topic);
    if (problem == null) {
      problem = coverProblem(topic, subscribeTopics, "topic is not served by this node: ");
    }
    return problem != null || grant.maySubscribe(topic)
        ? problem
        : notGranted(topic, "subscribe to");
  }

  /** Why a client may not publish to this, or null. */
  TopicRules.Problem publishProblem(String topic, Grant grant) {
    TopicRules.Problem problem = topicRules.checkTopic(topic);
    if (problem == null) {
      problem =
          coverProblem(topic, publishTopics, "topic is not open to publishers on this node: ");
    }
    return problem != null || grant.mayPublish(topic) ? problem : notGranted(topic, "publish to");
  }

  private static TopicRules.Problem notGranted(String topic, String use) {
    return new TopicRules.Problem(
        ErrorCode.FORBIDDEN, "this client may not " + use + " \"" + topic + "\"");
  }

  private static TopicRules.Problem coverProblem(String topic, List<String> allowed, String why) {
    return TopicPattern.anyCovers(allowed, topic)
        ? null
        : new TopicRules.Problem(ErrorCode.FORBIDDEN, why + "\"" + topic + "\"");
  }
}
