package io.sluice.gateway;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.gateway.broker.forward.ForwardOptions;
import io.sluice.gateway.broker.jms.QueueSupport;
import io.sluice.gateway.broker.queue.JmsQueueSupport;
import io.sluice.gateway.broker.queue.QueueOptions;
import io.sluice.gateway.broker.request.RequestLimits;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.ConfiguredSource;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.node.StartFailure;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.queue.QueueFeatures;
import io.sluice.gateway.session.queue.QueueLimits;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Queues and requests of a node, whose module may be missing. Immutable, for any thread.
 *
 * @param support factory for the broker; null without the module
 * @param sessions features of sessions
 */
record NodeQueues(QueueSupport.Factory support, List<SessionFeature<?>> sessions) {
  private static final String ONLY_JMS =
      "has no effect: only JMS brokers have queues, requests, durable and shared subscriptions; a leaf"
          + " uses those of its root";

  private static final String RULES_WITHOUT =
      "rules without send, consume, browse, durable and shared";

  private static final NodeQueues ABSENT = new NodeQueues(null, List.of());

  /** Keys without effect if the module is missing. */
  private static final List<Setting<?>> KEYS =
      List.of(
          TopicSettings.QUEUES_SEND,
          TopicSettings.QUEUES_CONSUME,
          TopicSettings.QUEUES_BROWSE,
          TopicSettings.QUEUES_ACK_TIMEOUT,
          TopicSettings.QUEUES_DEAD_LETTER,
          TopicSettings.TOPICS_DURABLE,
          TopicSettings.TOPICS_SHARED,
          TopicSettings.DURABLE_EXPIRY,
          LimitSettings.CONSUMERS,
          LimitSettings.CONSUMER_CREDIT,
          LimitSettings.NODE_CONSUMERS,
          LimitSettings.ADDRESS_CONSUMERS,
          LimitSettings.PRINCIPAL_CONSUMERS,
          LimitSettings.DURABLES,
          LimitSettings.TRANSACTION,
          LimitSettings.REQUESTS,
          LimitSettings.REQUEST_TIMEOUT,
          LimitSettings.NODE_REQUESTS);

  /** Operations of rules that are without effect then. */
  private static final Set<Operation> OPERATIONS =
      EnumSet.of(
          Operation.SEND, Operation.CONSUME, Operation.BROWSE, Operation.DURABLE, Operation.SHARED);

  /**
   * Creates the queues of a node.
   *
   * @throws StartFailure if the configuration requires queues, but the module is missing
   */
  static NodeQueues of(Config config) throws StartFailure {
    boolean hasBroker = ConfiguredSource.hasJmsBroker(config);
    if (!hasBroker && !ConfiguredSource.hasRoot(config)) {
      return ABSENT;
    }
    try {
      checkModule(config);
      // The factory is created there, because this class is also loaded without the broker's
      // module.
      return new NodeQueues(
          hasBroker
              ? JmsQueueSupport.factory(QueueOptions.of(config), RequestLimits.of(config))
              : null,
          QueueFeatures.of(QueueLimits.of(config), PooledByteBufAllocator.DEFAULT));
    } catch (NoClassDefFoundError missing) {
      String what = StartFailure.missing(missing);
      List<Setting<?>> keys = changed(config);
      if (keys.isEmpty()) {
        return ABSENT;
      }
      throw new StartFailure(keys.get(0).key() + ": " + what, missing);
    }
  }

  /**
   * Loads classes of the modules.
   *
   * @throws NoClassDefFoundError if one is missing
   */
  private static void checkModule(Config config) {
    QueueLimits.of(config);
    if (!ConfiguredSource.hasJmsBroker(config)) {
      ForwardOptions.of(config);
    }
  }

  /** Reports the keys that require the module or a JMS broker, if it is missing. */
  static void check(ConfigFindings findings) {
    if (!ConfiguredSource.hasJmsBroker(findings.config())
        && !ConfiguredSource.hasRoot(findings.config())) {
      changed(findings.config())
          .forEach(
              key -> {
                boolean rules = key == TopicSettings.PERMISSION_RULES;
                findings.report(ONLY_JMS, rules ? RULES_WITHOUT : "", key);
              });
      return;
    }
    try {
      checkModule(findings.config());
    } catch (NoClassDefFoundError missing) {
      String what = StartFailure.missing(missing);
      changed(findings.config()).forEach(key -> findings.report(what, "", key));
    }
  }

  private static List<Setting<?>> changed(Config config) {
    List<Setting<?>> keys = new ArrayList<>(KEYS);
    keys.removeIf(key -> config.get(key).equals(key.defaultValue()));
    if (config.get(TopicSettings.PERMISSION_RULES).stream().anyMatch(NodeQueues::isOfQueues)) {
      keys.add(TopicSettings.PERMISSION_RULES);
    }
    return keys;
  }

  private static boolean isOfQueues(PermissionRule rule) {
    return OPERATIONS.stream().anyMatch(rule.patterns()::containsKey);
  }

  /** Returns whether the module is there. */
  boolean isPresent() {
    return !sessions.isEmpty();
  }
}
