package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.query.ClientView;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class SmoothedRttTest {
  private static int after(int state, int... samplesMs) {
    return IntStream.of(samplesMs).reduce(state, SmoothedRtt::next);
  }

  @Test
  void shouldBeTheFirstSample() {
    assertThat(SmoothedRtt.ms(SmoothedRtt.NONE)).isEqualTo(ClientView.NO_RTT);
    assertThat(SmoothedRtt.ms(after(SmoothedRtt.NONE, 40))).isEqualTo(40);
    assertThat(SmoothedRtt.ms(after(SmoothedRtt.NONE, 0))).isZero();
  }

  @Test
  void shouldWeighASampleWithOneEighth() {
    int state = after(SmoothedRtt.NONE, 40);
    assertThat(SmoothedRtt.ms(after(state, 840))).isEqualTo(140);
    assertThat(SmoothedRtt.ms(after(state, 840, 40))).isEqualTo(128);
  }

  @Test
  void shouldConverge() {
    int state = after(SmoothedRtt.NONE, 2_000);
    for (int i = 0; i < 100; i++) {
      state = SmoothedRtt.next(state, 20);
    }
    assertThat(SmoothedRtt.ms(state)).isBetween(20, 21);
  }

  @Test
  void shouldBoundSamples() {
    assertThat(SmoothedRtt.ms(SmoothedRtt.next(SmoothedRtt.NONE, -5))).isZero();
    int largest = SmoothedRtt.next(SmoothedRtt.NONE, Long.MAX_VALUE);
    assertThat(SmoothedRtt.ms(SmoothedRtt.next(largest, Long.MAX_VALUE))).isPositive();
  }
}
