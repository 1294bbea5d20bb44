package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.Feature;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

final class QueueSupportTest {
  @Test
  void shouldNotAnnounceFeaturesOfQueuesWithoutTheirModule() {
    assertThat(QueueSupport.ABSENT.create(null).usable(EnumSet.allOf(Feature.class)))
        .containsExactlyInAnyOrder(Feature.DELAY, Feature.PUBLISH_ID);
  }
}
