package io.sluice.gateway;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.membership.Exchange;
import io.sluice.gateway.metrics.PresenceMeters;
import io.sluice.gateway.protocol.presence.PresenceView;
import io.sluice.gateway.session.SessionFeature;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Presence of a node, whose module may be missing. For any thread. */
interface NodePresence extends AutoCloseable {
  /** Presence without the module: clients that request it are refused. */
  NodePresence ABSENT = new NodePresence() {};

  /** Returns the features of sessions. */
  default List<SessionFeature<?>> sessions() {
    return List.of();
  }

  /** Returns the exchanges with other nodes. */
  default List<Exchange> exchanges() {
    return List.of();
  }

  /** Returns the present state of a topic; without the module, a partial one without members. */
  default CompletionStage<PresenceView> view(String topic) {
    return CompletableFuture.completedStage(new PresenceView(0, List.of(), true));
  }

  /** Starts the periodic work. */
  default void start() {}

  @Override
  default void close() {}

  /**
   * Creates the presence of a node.
   *
   * @throws StartFailure if topics have presence, but the module is missing
   */
  static NodePresence of(Config config, String node, boolean clustered, PresenceMeters meters)
      throws StartFailure {
    try {
      return PresenceModule.create(config, node, clustered, meters);
    } catch (NoClassDefFoundError missing) {
      String module = missingModule(missing);
      if (config.get(TopicSettings.PRESENCE_TOPICS).isEmpty()) {
        return ABSENT;
      }
      throw StartFailure.missing(TopicSettings.PRESENCE_TOPICS, missing, module);
    }
  }

  /** Returns which of the modules that presence needs is missing. */
  static String missingModule(NoClassDefFoundError missing) {
    StartFailure.requireMissing(missing, "gateway/presence", "cluster");
    return missing.getMessage().startsWith("io/sluice/cluster/") ? "cluster" : "presence";
  }
}
