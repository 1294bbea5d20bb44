package io.sluice.gateway.session;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.auth.Access;
import io.sluice.gateway.auth.Grant;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.broker.selector.SelectorSyntax;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.hub.Sources;
import io.sluice.gateway.limits.Shares;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.ServerFrames;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.protocol.parser.ClientFrameParser;
import io.sluice.gateway.trace.Tracing;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Limits, codecs and counters shared by all sessions of a node. For any thread. */
public final class SessionPolicy {
  private static final Logger log = LoggerFactory.getLogger(SessionPolicy.class);

  /** Maximum bytes of all clients buffered before authentication. */
  private static final long PRE_AUTH_NODE_BYTES = 64L << 20;

  private static final String SELECTORS_DISABLED =
      "\"where\" is disabled by " + TopicSettings.SELECTORS.key() + " on this node";

  final ServerFrames frames;
  final ClientFrameParser parser;
  final GatewayMetrics metrics;
  final Hub hub;
  final Sources sources;

  /** Null without tracing. */
  final Tracing tracing;

  volatile SessionOptions options;
  final long maxPendingBytes;
  final Access access;
  final CredentialCheck credentials;

  final RedirectCooldown cooldown;
  private final AtomicLong sessions = new AtomicLong();
  private final Shares preAuthBytes;
  private final long startedSecond = System.currentTimeMillis() / 1000;
  private final String node;
  private final String version;

  /** Null until the first session. */
  private volatile AnnouncedLimits announced;

  /** Limits and features of the node in {@code hello}, with the broker's features among them. */
  private record AnnouncedLimits(ServerFrames.NodeLimits limits, Set<Feature> broker) {}

  public SessionPolicy(
      SessionOptions options,
      String node,
      String version,
      ByteBufAllocator allocator,
      Hub hub,
      GatewayMetrics metrics,
      Access access) {
    this.options = options;
    this.preAuthBytes = new Shares(PRE_AUTH_NODE_BYTES);
    this.maxPendingBytes = options.pendingBytes();
    this.access = access;
    this.credentials = new CredentialCheck(access);
    this.cooldown = new RedirectCooldown(metrics, options.pingMs());
    this.frames = new ServerFrames(allocator);
    this.parser = new ClientFrameParser(options.transaction());
    this.metrics = metrics;
    this.hub = hub;
    this.sources = hub.sources();
    this.tracing = hub.tracing();
    this.node = node;
    this.version = version;
  }

  /** Creates a policy for checks only, which differs in its options and its access control. */
  private SessionPolicy(SessionPolicy running, SessionOptions options, Access access) {
    this.preAuthBytes = running.preAuthBytes;
    this.options = options;
    this.maxPendingBytes = running.maxPendingBytes;
    this.access = access;
    this.credentials = running.credentials;
    this.cooldown = running.cooldown;
    this.frames = running.frames;
    this.parser = running.parser;
    this.metrics = running.metrics;
    this.hub = running.hub;
    this.sources = running.sources;
    this.tracing = running.tracing;
    this.node = running.node;
    this.version = running.version;
  }

  /** Returns the options, which a reload replaces. */
  public SessionOptions options() {
    return options;
  }

  /** Returns the node's meters. */
  public GatewayMetrics metrics() {
    return metrics;
  }

  /** Returns the policy that a reload would lead to, for {@link ConnectionListener#loss}. */
  public SessionPolicy preview(SessionOptions next, Access nextAccess) {
    return new SessionPolicy(this, next, nextAccess);
  }

  /** Replaces the options; a session applies them with {@link ConnectionListener#onReload}. */
  public void reload(SessionOptions next) {
    options = next;
    announced = null;
  }

  /** Returns the audit log. */
  public AuditLog audit() {
    return access.audit();
  }

  /** Returns the encoder of the kernel's frames. */
  public ServerFrames frames() {
    return frames;
  }

  /** Returns the node's sources. */
  public Sources sources() {
    return sources;
  }

  /**
   * Returns why a destination cannot be used in requests, transactions, and durable and shared
   * subscriptions, or null. With several sources only the one with queues has them.
   */
  public TopicRules.Problem besideQueuesProblem(Destination destination) {
    return destination.isQueue() || sources.isBesideQueues(destination.name())
        ? null
        : new TopicRules.Problem(
            ErrorCode.UNSUPPORTED,
            destination.name()
                + " is no topic of the JMS broker, so it has no requests, transactions, and durable"
                + " or shared subscriptions");
  }

  /** Returns the tracing of the node; null without tracing. */
  public Tracing tracing() {
    return tracing;
  }

  /** Returns the bytes that may wait for one client. */
  public long maxPendingBytes() {
    return maxPendingBytes;
  }

  /** Returns the redirect state of the node's clients. */
  public RedirectCooldown cooldown() {
    return cooldown;
  }

  /** Returns the number of the next session of this node. */
  long nextSession() {
    return sessions.incrementAndGet();
  }

  /** Returns the id of a session; empty for number 0, a session that is not open yet. */
  String sessionId(long number) {
    return number == 0 ? "" : node + "-" + startedSecond + "-" + number;
  }

  PreAuthBuffer newPreAuthBuffer(String address) {
    return new PreAuthBuffer(preAuthBytes, AddressRange.network(address), options.preAuthBytes());
  }

  /** Logs a bug in a task outside the connection's handlers. */
  void onBug(String session, RuntimeException bug) {
    log.atError().addKeyValue("session", session).setCause(bug).log("client.bug");
  }

  /**
   * Returns the content of a client's {@code hello}.
   *
   * @param announcement changes the announced features, which are those of the broker
   */
  ServerFrames.Hello hello(
      long number, Principal principal, BiConsumer<SessionOptions, Set<Feature>> announcement) {
    return new ServerFrames.Hello(
        node,
        version,
        sessionId(number),
        principal.name(),
        principal.mechanism().isRenewable() ? principal.expiresMs() : Principal.NEVER,
        System.currentTimeMillis(),
        hub.isAnyLive(),
        hub.identity().code(),
        nodeLimits(announcement));
  }

  private ServerFrames.NodeLimits nodeLimits(
      BiConsumer<SessionOptions, Set<Feature>> announcement) {
    Set<Feature> broker = sources.features();
    AnnouncedLimits known = announced;
    if (known == null || !known.broker.equals(broker)) {
      known = new AnnouncedLimits(nodeLimits(features(broker, announcement)), Set.copyOf(broker));
      announced = known;
    }
    return known.limits;
  }

  private ServerFrames.NodeLimits nodeLimits(List<String> features) {
    return ServerFrames.NodeLimits.of(
        options.pingMs(),
        options.messageBytes(),
        options.subscriptions(),
        options.topicRules().maxLength(),
        options.topicRules().maxDepth(),
        options.publishRate(),
        options.overlap(),
        features);
  }

  private List<String> features(
      Set<Feature> broker, BiConsumer<SessionOptions, Set<Feature>> announcement) {
    Set<Feature> features = EnumSet.noneOf(Feature.class);
    features.addAll(broker);
    if (options.selectors()) {
      features.add(Feature.SELECTORS);
    }
    announcement.accept(options, features);
    return features.stream().map(Feature::word).sorted().toList();
  }

  /** Returns the patterns that a client may use at this node, by the word of the operation. */
  Map<String, List<String>> permissions(Grant grant) {
    Map<String, List<String>> usable = new LinkedHashMap<>();
    for (Operation operation : Operation.ALL) {
      List<String> served = options.served(operation);
      List<String> patterns =
          grant
              .all(operation)
              .flatMap(each -> served.stream().map(node -> TopicPattern.intersection(node, each)))
              .filter(Objects::nonNull)
              .distinct()
              .toList();
      if (!patterns.isEmpty()) {
        usable.put(operation.key(), patterns);
      }
    }
    return usable;
  }

  /** Returns why a client may not subscribe to a topic with a selector or without one, or null. */
  public TopicRules.Problem subscribeProblem(InterestKey key, Grant grant) {
    String topic = key.topic();
    TopicRules.Problem problem = options.topicRules().checkPattern(topic);
    if (problem == null && key.hasSelector()) {
      problem =
          options.selectors()
              ? selectorProblem(key.selector())
              : new TopicRules.Problem(ErrorCode.FORBIDDEN, SELECTORS_DISABLED);
    }
    if (problem == null) {
      problem =
          coverProblem(topic, options.subscribeTopics(), "topic is not served by this node: ");
    }
    return problem != null || grant.maySubscribe(topic)
        ? problem
        : notGranted(topic, "subscribe to");
  }

  /** Returns why the node refuses a selector before the broker parses it, or null. */
  public TopicRules.Problem selectorProblem(String selector) {
    if (selector.length() > options.selectorLength()) {
      String why =
          "\"where\" has %d characters; %s is %d"
              .formatted(
                  selector.length(), LimitSettings.SELECTOR_LENGTH.key(), options.selectorLength());
      return new TopicRules.Problem(ErrorCode.INVALID_SELECTOR, why);
    }
    String problem = SelectorSyntax.problem(selector);
    return problem == null ? null : new TopicRules.Problem(ErrorCode.INVALID_SELECTOR, problem);
  }

  /** Returns why a client may not publish to a topic, or null. */
  TopicRules.Problem publishProblem(String topic, Grant grant) {
    TopicRules.Problem problem = options.topicRules().checkTopic(topic);
    if (problem == null) {
      problem =
          coverProblem(
              topic, options.publishTopics(), "topic is not open to publishers on this node: ");
    }
    return problem != null || grant.mayPublish(topic) ? problem : notGranted(topic, "publish to");
  }

  /** Returns why a client may not publish to a topic or queue, or null. */
  TopicRules.Problem publishProblem(Destination destination, Grant grant) {
    return destination.isQueue()
        ? sendProblem(destination.name(), grant)
        : publishProblem(destination.name(), grant);
  }

  private TopicRules.Problem sendProblem(String queue, Grant grant) {
    TopicRules.Problem problem = options.topicRules().checkTopic(queue);
    if (problem == null && options.sendQueues().isEmpty() && sources.queues() == null) {
      problem =
          new TopicRules.Problem(
              ErrorCode.UNSUPPORTED, "this node has no queues: they require a JMS broker");
    }
    if (problem == null) {
      problem =
          queueProblem(
              queue,
              options.sendQueues(),
              grant.all(Operation.SEND),
              "queue is not open to publishers on this node: ");
    }
    return problem != null || grant.maySend(queue)
        ? problem
        : notGranted(queue, "publish to the queue");
  }

  /**
   * Returns why a client may not name a topic or queue for replies, or null. The client could
   * answer its own message there, so it needs the permission to publish.
   */
  TopicRules.Problem replyToProblem(Destination replyTo, Grant grant) {
    String name = replyTo.name();
    TopicRules.Problem problem = publishProblem(replyTo, grant);
    if (problem == null) {
      problem =
          replyTo.isQueue()
              ? consumeProblem(name, grant)
              : subscribeProblem(InterestKey.of(name), grant);
    }
    return problem == null
        ? null
        : new TopicRules.Problem(problem.code(), "\"replyTo\": " + problem.message());
  }

  /** Returns why a client may not consume a queue, or null. */
  public TopicRules.Problem consumeProblem(String queue, Grant grant) {
    TopicRules.Problem problem =
        queueProblem(
            queue,
            options.consumeQueues(),
            grant.all(Operation.CONSUME),
            "queue is not served by this node: ");
    return problem != null || grant.mayConsume(queue)
        ? problem
        : notGranted(queue, "consume the queue");
  }

  /** Returns the problem of a use that a client's permissions do not include. */
  public static TopicRules.Problem notGranted(String topic, String use) {
    return new TopicRules.Problem(
        ErrorCode.FORBIDDEN, "this client may not " + use + " \"" + topic + "\"");
  }

  /**
   * Returns the same as {@link #coverProblem} for a queue.
   *
   * @param granted patterns of the client's rules, which may name a dead-letter queue as well
   */
  public TopicRules.Problem queueProblem(
      String queue, List<String> allowed, Stream<String> granted, String why) {
    return options.deadLetters().permit(allowed, queue)
            || TopicPattern.anyCovers(allowed, queue) && granted.anyMatch(queue::equals)
        ? null
        : forbidden(why, queue);
  }

  private static TopicRules.Problem forbidden(String why, String name) {
    return new TopicRules.Problem(ErrorCode.FORBIDDEN, why + "\"" + name + "\"");
  }

  /**
   * Returns the problem of a topic that no pattern of the node covers, or null.
   *
   * @param why beginning of the message, before the name
   */
  public static TopicRules.Problem coverProblem(String topic, List<String> allowed, String why) {
    return TopicPattern.anyCovers(allowed, topic) ? null : forbidden(why, topic);
  }
}
