package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.protocol.ClientFrame;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SessionFeaturesTest {
  @Test
  void shouldHandleNoFramesOfOtherModules() {
    SessionFeature.Table features = SessionFeatures.of(List.of());
    assertThat(ClientFrame.class.getPermittedSubclasses())
        .filteredOn(frame -> features.handler(frame) != null)
        .containsExactlyInAnyOrder(
            ClientFrame.Connect.class,
            ClientFrame.Subscribe.class,
            ClientFrame.Unsubscribe.class,
            ClientFrame.Publish.class,
            ClientFrame.Refresh.class,
            ClientFrame.Ping.class,
            ClientFrame.Malformed.class);
  }

  @Test
  void shouldRejectTwoHandlersOfAFrame() {
    assertThatThrownBy(
            () ->
                new SessionFeature.Table(Map.of(), List.of(Publishing.FEATURE, Publishing.FEATURE)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has two handlers");
  }

  @Test
  void shouldRejectAFeatureThatTheNodeLacks() {
    SessionFeature.Table features = new SessionFeature.Table(Session.KERNEL, List.of());
    assertThatThrownBy(() -> features.index(Publishing.FEATURE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Publishing");
  }
}
