package io.sluice.gateway.session;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ClientFrameParser;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.ServerFrames;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.TopicRules;
import java.util.List;

/** What all sessions of a node share: its limits, its codecs, its counters. For any thread. */
public final class SessionPolicy {
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
      GatewayMetrics metrics) {
    this.frames = new ServerFrames(allocator);
    this.metrics = metrics;
    this.hub = hub;
    this.node = node;
    this.version = version;
    this.maxPendingBytes = config.get(Settings.LIMIT_PENDING_BYTES);
    this.maxSubscriptions = config.get(Settings.LIMIT_SUBSCRIPTIONS);
    this.maxErrors = config.get(Settings.LIMIT_CLIENT_ERRORS);
    this.overlap = config.get(Settings.RESUME_OVERLAP);
    this.caughtUpMs = Math.max(1, config.get(Settings.RESUME_MARGIN).toMillis());
    this.publishRate = config.get(Settings.LIMIT_PUBLISH_RATE);
    this.subscribeRate = config.get(Settings.LIMIT_SUBSCRIBE_RATE);
    // Clients that do not fragment, such as browsers, run into the smaller one.
    this.maxMessageBytes =
        Math.min(config.get(Settings.LIMIT_MESSAGE_BYTES), config.get(Settings.LIMIT_FRAME_BYTES));
    this.pingIntervalMs = config.get(Settings.TIMEOUT_PING).toMillis();
    this.topicRules =
        new TopicRules(
            config.get(Settings.LIMIT_TOPIC_LENGTH), config.get(Settings.LIMIT_TOPIC_DEPTH));
    this.subscribeTopics = config.get(Settings.SUBSCRIBE_TOPICS);
    this.publishTopics = config.get(Settings.PUBLISH_TOPICS);
  }

  ServerFrames.Hello hello() {
    return new ServerFrames.Hello(
        node,
        version,
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
  TopicRules.Problem subscribeProblem(String topic) {
    TopicRules.Problem problem = topicRules.checkPattern(topic);
    return problem != null ? problem : coverProblem(topic, subscribeTopics, "subscribe to");
  }

  /** Why a client may not publish to this, or null. */
  TopicRules.Problem publishProblem(String topic) {
    TopicRules.Problem problem = topicRules.checkTopic(topic);
    return problem != null ? problem : coverProblem(topic, publishTopics, "publish to");
  }

  private static TopicRules.Problem coverProblem(String topic, List<String> allowed, String use) {
    return TopicPattern.anyCovers(allowed, topic)
        ? null
        : new TopicRules.Problem(
            ErrorCode.FORBIDDEN, "this node lets nobody " + use + " \"" + topic + "\"");
  }
}
