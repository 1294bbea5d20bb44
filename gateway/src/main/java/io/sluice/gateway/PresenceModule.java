package io.sluice.gateway;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.cluster.replica.ReplicatedMap;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.membership.Exchange;
import io.sluice.gateway.metrics.PresenceMeters;
import io.sluice.gateway.presence.PresenceHub;
import io.sluice.gateway.presence.PresenceOptions;
import io.sluice.gateway.protocol.presence.PresenceView;
import io.sluice.gateway.session.SessionFeature;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/** Presence by the module of that name. For any thread. */
final class PresenceModule implements NodePresence {
  private final PresenceHub hub;

  private PresenceModule(PresenceHub hub) {
    this.hub = hub;
  }

  static NodePresence create(Config config, String node, boolean clustered, PresenceMeters meters) {
    return new PresenceModule(
        new PresenceHub(
            PresenceOptions.of(config, node), clustered, PooledByteBufAllocator.DEFAULT, meters));
  }

  /**
   * Checks that its modules are there.
   *
   * @throws NoClassDefFoundError if one is missing
   */
  static void check(Config config) {
    Objects.requireNonNull(PresenceOptions.of(config, ""));
    Objects.requireNonNull(ReplicatedMap.class);
  }

  @Override
  public List<SessionFeature<?>> sessions() {
    return List.of(hub.sessions());
  }

  @Override
  public List<Exchange> exchanges() {
    return List.of(
        new Exchange(
            PresenceHub.CHANNEL, sender -> hub.join(sender::accept), hub::onView, hub::onMessage));
  }

  @Override
  public CompletionStage<PresenceView> view(String topic) {
    return hub.view(topic);
  }

  @Override
  public void start() {
    hub.start();
  }

  @Override
  public void close() {
    hub.close();
  }
}
