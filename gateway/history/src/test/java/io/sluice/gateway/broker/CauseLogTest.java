package io.sluice.gateway.broker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class CauseLogTest {
  private final CauseLog log = new CauseLog();

  @Test
  void shouldLogEachCauseOnce() {
    assertThat(log.add("a")).isOne();
    assertThat(log.add("a")).isZero();
    assertThat(log.add("b")).isOne();
    assertThat(log.add("a")).isZero();
  }

  @Test
  void shouldLogAgainAfterASuccess() {
    log.add("a");
    log.reset();
    assertThat(log.add("a")).isOne();
  }

  @Test
  void shouldRememberTheLatestCauses() {
    for (int i = 0; i <= 100; i++) {
      log.add("cause " + i);
    }
    assertThat(log.add("cause 100")).isZero();
    assertThat(log.add("cause 0")).isOne();
  }
}
