package io.sluice.gateway.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.limits.Quota;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class AddressQuotasTest {
  private final Exposition exposition = new Exposition("addresses-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private AddressQuotas shares(int connections) {
    return new AddressQuotas(
        Config.defaults().with(LimitSettings.ADDRESS_CONNECTIONS, connections), metrics);
  }

  @Test
  void shouldRememberNobodyWithoutALimit() {
    AddressQuotas shares = shares(0);
    Quota first = shares.enter("192.0.2.1");
    assertThat(shares.takeHandshake("192.0.2.1")).isTrue();
    assertThat(shares.enter("192.0.2.2")).isSameAs(first);
    shares.leave(first);
    assertThat(shares.hasRoom("192.0.2.1")).isTrue();
    assertThat(shares.size()).isZero();
  }

  @Test
  void shouldKnowWhetherThereIsRoomForOneMore() {
    AddressQuotas shares = shares(1);
    assertThat(shares.hasRoom("192.0.2.1")).isTrue();
    Quota only = shares.enter("192.0.2.1");
    assertThat(shares.hasRoom("192.0.2.1")).isFalse();
    assertThat(shares.hasRoom("192.0.2.2")).isTrue();
    assertThat(shares.size()).isEqualTo(1);
    shares.leave(only);
    assertThat(shares.hasRoom("192.0.2.1")).isTrue();
  }
}
