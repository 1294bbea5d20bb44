package io.sluice.gateway;

import io.sluice.gateway.broker.jms.QueueSupport;
import io.sluice.gateway.broker.queue.JmsQueueSupport;
import io.sluice.gateway.broker.queue.QueueOptions;
import io.sluice.gateway.broker.request.RequestLimits;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.SessionFeatures;
import java.util.List;

/**
 * Queues and requests of a node, whose module may be missing. Immutable, for any thread.
 *
 * @param support factory for the broker
 * @param sessions features of sessions
 */
record NodeQueues(QueueSupport.Factory support, List<SessionFeature<?>> sessions) {
  /** Package of the module. */
  private static final String PACKAGE = "gateway/broker/queue";

  private static final String MODULE = "queues";

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
          LimitSettings.REQUESTS,
          LimitSettings.REQUEST_TIMEOUT,
          LimitSettings.NODE_REQUESTS);

  /**
   * Creates the queues of a node.
   *
   * @throws StartFailure if the configuration requires queues, but the module is missing
   */
  static NodeQueues of(Config config) throws StartFailure {
    try {
      QueueOptions options = QueueOptions.of(config);
      RequestLimits limits = RequestLimits.of(config);
      return new NodeQueues(
          broker -> new JmsQueueSupport(options, limits, broker), SessionFeatures.queues());
    } catch (NoClassDefFoundError missing) {
      StartFailure.requireMissing(missing, PACKAGE);
      List<Setting<?>> keys = changed(config);
      if (!keys.isEmpty()) {
        throw StartFailure.missing(keys.get(0), missing, MODULE);
      }
      return new NodeQueues(QueueSupport.ABSENT, List.of());
    }
  }

  /** Reports the keys that require the module, if it is missing. */
  static void check(ConfigFindings findings) {
    try {
      QueueOptions.of(findings.config());
    } catch (NoClassDefFoundError missing) {
      StartFailure.requireMissing(missing, PACKAGE);
      changed(findings.config())
          .forEach(key -> findings.report(StartFailure.missing(MODULE), "", key));
    }
  }

  private static List<Setting<?>> changed(Config config) {
    return KEYS.stream().filter(key -> !config.get(key).equals(key.defaultValue())).toList();
  }

  /** Returns whether the module is there. */
  boolean isPresent() {
    return !sessions.isEmpty();
  }
}
