package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RenewalTest {
  @Test
  void shouldRenewEarlyAndAtARandomTime() {
    assertThat(Renewal.waitMs(Long.MAX_VALUE, 1_000, 0.5)).isGreaterThan(Long.MAX_VALUE / 2);
    assertThat(Renewal.waitMs(101_000, 1_000, 0.5)).isEqualTo(85_000);
    assertThat(Renewal.waitMs(1_000, 1_000, 0.5)).isEqualTo(1_500);
    assertThat(Renewal.waitMs(Long.MIN_VALUE, 1_000, 0)).isEqualTo(1_000);
  }
}
