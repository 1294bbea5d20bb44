package io.sluice.gateway.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.stomp.SubscriptionIds.SharedId;
import io.sluice.gateway.stomp.SubscriptionIds.Use;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class SubscriptionIdsTest {
  private final SubscriptionIds ids = new SubscriptionIds();

  private String headers(SharedId id, StompVersion version) {
    return new String(ids.headers(id.ref(), version), StandardCharsets.UTF_8);
  }

  @Test
  void shouldShareEqualIdsOfOneUse() {
    SharedId first = ids.acquire("sub-0", Use.TOPIC);
    SharedId second = ids.acquire(new String("sub-0"), Use.TOPIC);
    assertThat(second).isSameAs(first);
    assertThat(ids.acquire("sub-0", Use.PARENT).ref()).isNotEqualTo(first.ref());
    assertThat(ids.acquire("sub-1", Use.TOPIC).ref()).isNotEqualTo(first.ref());
    assertThat(headers(first, StompVersion.V1_2)).isEqualTo("subscription:sub-0\n");
  }

  @Test
  void shouldForgetAnIdWithItsLastUser() {
    SharedId id = ids.acquire("a", Use.TOPIC);
    ids.acquire("a", Use.TOPIC);
    ids.release("a", Use.TOPIC);
    assertThat(headers(id, StompVersion.V1_0)).isNotEmpty();
    ids.release("a", Use.TOPIC);
    assertThat(headers(id, StompVersion.V1_0)).isEmpty();
    assertThat(ids.size()).isZero();
    assertThat(ids.acquire("a", Use.TOPIC).ref()).isNotEqualTo(id.ref());
  }

  @Test
  void shouldEscapeTheHeaderByVersion() {
    SharedId id = ids.acquire("a:\n", Use.ACKNOWLEDGED_TOPIC);
    assertThat(headers(id, StompVersion.V1_0)).isEqualTo("subscription:a: \nack:topic\n");
    assertThat(headers(id, StompVersion.V1_2)).isEqualTo("subscription:a\\c\\n\nack:topic\n");
  }
}
