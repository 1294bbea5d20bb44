package io.sluice.gateway;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.cluster.Exchange;
import io.sluice.cluster.replica.ReplicatedMap;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.metrics.MeterBuilder;
import io.sluice.gateway.node.StartFailure;
import io.sluice.gateway.presence.PresenceHub;
import io.sluice.gateway.presence.PresenceOptions;
import io.sluice.gateway.protocol.presence.PresenceView;
import io.sluice.gateway.session.SessionFeature;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Presence of a node, whose module may be missing. For any thread.
 *
 * @param sessions features of sessions
 * @param exchanges returns the exchanges with other nodes, whose module may be missing too
 * @param views returns the present state of a topic
 * @param starter starts the periodic work
 * @param end ends it
 */
record NodePresence(
    List<SessionFeature<?>> sessions,
    Supplier<List<Exchange>> exchanges,
    Function<String, CompletionStage<PresenceView>> views,
    Runnable starter,
    Runnable end)
    implements AutoCloseable {
  /** Without the module: clients that request presence are refused, and states are partial. */
  private static final NodePresence ABSENT =
      new NodePresence(
          List.of(),
          List::of,
          topic -> CompletableFuture.completedStage(new PresenceView(0, List.of(), true)),
          () -> {},
          () -> {});

  /**
   * Creates the presence of a node.
   *
   * @throws StartFailure if topics have presence, but the module is missing
   */
  static NodePresence of(
      Config config, String node, boolean clustered, MeterBuilder meters, LinkModule links)
      throws StartFailure {
    try {
      PresenceHub hub =
          new PresenceHub(
              PresenceOptions.of(config, node), clustered, PooledByteBufAllocator.DEFAULT, meters);
      if (!config.get(TopicSettings.PRESENCE_TOPICS).isEmpty()) {
        links.join(hub);
      }
      return new NodePresence(
          List.of(hub.sessions()),
          () -> List.of(new Exchange(PresenceHub.CHANNEL, hub::join, hub::onView, hub::onMessage)),
          hub::view,
          hub::start,
          hub::close);
    } catch (NoClassDefFoundError missing) {
      StartFailure failure = StartFailure.missing(TopicSettings.PRESENCE_TOPICS, missing);
      if (config.get(TopicSettings.PRESENCE_TOPICS).isEmpty()) {
        return ABSENT;
      }
      throw failure;
    }
  }

  /** Reports that topics have presence, but a module is missing. */
  static void check(ConfigFindings findings) {
    if (!findings.config().get(TopicSettings.PRESENCE_TOPICS).isEmpty()) {
      StartFailure.reportMissing(
          findings,
          List.of(TopicSettings.PRESENCE_TOPICS),
          () -> {
            Objects.requireNonNull(PresenceOptions.of(findings.config(), ""));
            Objects.requireNonNull(ReplicatedMap.class);
          });
    }
  }

  @Override
  public void close() {
    end.run();
  }
}
