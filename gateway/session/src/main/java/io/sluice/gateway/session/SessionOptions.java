package io.sluice.gateway.session;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.DeadLetterQueues;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.TopicRules;
import java.util.List;
import java.util.function.Function;

/**
 * Options of the sessions of a node. Immutable.
 *
 * @param subscriptions largest number of subscriptions of a client
 * @param errors errors of a client after which its connection is closed
 * @param pendingBytes bytes that may wait for one client
 * @param messageBytes largest message from a client
 * @param preAuthBytes bytes of a client that are buffered before authentication
 * @param publishRate publishes a second and client
 * @param requests largest number of pending requests of a client
 * @param requestTimeoutMs largest time limit of a request
 * @param transaction largest number of parts of a transaction
 * @param subscribeRate subscribes a second and client past its largest number of subscriptions
 * @param overlap identities that a client has to remember for each subscription
 * @param caughtUpMs smallest interval between two caught-up times of a subscription
 * @param pingMs interval of pings
 * @param topicRules syntax of topics
 * @param subscribeTopics patterns of topics that clients may subscribe to
 * @param publishTopics patterns of topics that clients may publish to
 * @param selectors whether subscriptions may have a selector
 * @param maxSelectors largest number of different selectors of a client's subscriptions
 * @param selectorLength largest number of characters of a selector
 * @param consumers largest number of consumers of a client
 * @param consumerCredit largest credit of a consumer
 * @param sendQueues patterns of queues that clients may publish to
 * @param consumeQueues patterns of queues that clients may consume
 * @param browseQueues patterns of queues that clients may browse
 * @param deadLetters queues that wildcards do not include
 * @param durableTopics patterns of topics of durable subscriptions
 * @param sharedTopics patterns of topics of shared subscriptions
 * @param presenceTopics patterns of topics with presence
 * @param presenceInfo largest number of bytes of a member's info
 * @param compression whether clients may receive compressed frames
 */
public record SessionOptions(
    int subscriptions,
    int errors,
    long pendingBytes,
    long messageBytes,
    long preAuthBytes,
    int publishRate,
    int requests,
    long requestTimeoutMs,
    int transaction,
    int subscribeRate,
    int overlap,
    long caughtUpMs,
    long pingMs,
    TopicRules topicRules,
    List<String> subscribeTopics,
    List<String> publishTopics,
    boolean selectors,
    int maxSelectors,
    int selectorLength,
    int consumers,
    int consumerCredit,
    List<String> sendQueues,
    List<String> consumeQueues,
    List<String> browseQueues,
    DeadLetterQueues deadLetters,
    List<String> durableTopics,
    List<String> sharedTopics,
    List<String> presenceTopics,
    int presenceInfo,
    boolean compression) {
  /** Returns the options of a configuration. */
  public static SessionOptions of(Config config) {
    return of(config, true);
  }

  /**
   * Returns the options of a configuration.
   *
   * @param queues whether the node has queues; without them, their patterns are empty
   */
  public static SessionOptions of(Config config, boolean queues) {
    Function<Setting<List<String>>, List<String>> allowed =
        setting -> queues ? TopicSettings.allowed(config, setting) : List.of();
    return new SessionOptions(
        config.get(LimitSettings.SUBSCRIPTIONS),
        config.get(LimitSettings.CLIENT_ERRORS),
        config.get(LimitSettings.PENDING_BYTES),
        config.get(LimitSettings.MESSAGE_BYTES),
        config.get(LimitSettings.PRE_AUTH_BYTES),
        config.get(LimitSettings.PUBLISH_RATE),
        config.get(LimitSettings.REQUESTS),
        config.get(LimitSettings.REQUEST_TIMEOUT).toMillis(),
        config.get(LimitSettings.TRANSACTION),
        config.get(LimitSettings.SUBSCRIBE_RATE),
        config.get(HistorySettings.RESUME_OVERLAP),
        Math.max(1, config.get(HistorySettings.RESUME_MARGIN).toMillis()),
        config.get(TimeoutSettings.PING).toMillis(),
        TopicSettings.topicRules(config),
        config.get(TopicSettings.SUBSCRIBE_TOPICS),
        publishTopics(config),
        config.get(TopicSettings.SELECTORS),
        config.get(LimitSettings.SELECTORS),
        config.get(LimitSettings.SELECTOR_LENGTH),
        config.get(LimitSettings.CONSUMERS),
        config.get(LimitSettings.CONSUMER_CREDIT),
        allowed.apply(TopicSettings.QUEUES_SEND),
        allowed.apply(TopicSettings.QUEUES_CONSUME),
        allowed.apply(TopicSettings.QUEUES_BROWSE),
        DeadLetterQueues.of(config),
        allowed.apply(TopicSettings.TOPICS_DURABLE),
        allowed.apply(TopicSettings.TOPICS_SHARED),
        config.get(TopicSettings.PRESENCE_TOPICS),
        config.get(LimitSettings.PRESENCE_INFO),
        config.get(ServerSettings.COMPRESSION));
  }

  /** Returns the patterns of topics or queues on which the node allows an operation. */
  List<String> served(Operation operation) {
    return switch (operation) {
      case SUBSCRIBE -> subscribeTopics;
      case PUBLISH -> publishTopics;
      case SEND -> sendQueues;
      case CONSUME -> consumeQueues;
      case BROWSE -> browseQueues;
      case DURABLE -> durableTopics;
      case SHARED -> sharedTopics;
      case PRESENCE -> presenceTopics;
    };
  }

  // Without configured patterns only the rules decide; without rules no client may publish.
  private static List<String> publishTopics(Config config) {
    List<String> patterns = config.get(TopicSettings.PUBLISH_TOPICS);
    return patterns.isEmpty() && TopicSettings.hasPermissions(config) ? List.of(">") : patterns;
  }
}
