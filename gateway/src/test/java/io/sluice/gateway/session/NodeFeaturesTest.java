package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.presence.PresenceHub;
import io.sluice.gateway.presence.PresenceOptions;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.session.queue.QueueFeatures;
import io.sluice.gateway.session.queue.QueueLimits;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Test of the features of all modules together. */
final class NodeFeaturesTest {
  private static final Config CONFIG = Config.defaults();
  private static final UnpooledByteBufAllocator BUFFERS = UnpooledByteBufAllocator.DEFAULT;

  @Test
  void shouldHandleEachFrame() {
    try (Exposition exposition = new Exposition("node-features-test");
        GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
        PresenceHub presence =
            new PresenceHub(PresenceOptions.of(CONFIG, "node"), false, BUFFERS, metrics.meters())) {
      List<SessionFeature<?>> optional =
          new ArrayList<>(QueueFeatures.of(QueueLimits.of(CONFIG), BUFFERS));
      optional.add(presence.sessions());
      SessionFeature.Table features = SessionFeatures.of(optional);
      assertThat(ClientFrame.class.getPermittedSubclasses())
          .allMatch(frame -> features.handler(frame) != null);
    }
  }
}
