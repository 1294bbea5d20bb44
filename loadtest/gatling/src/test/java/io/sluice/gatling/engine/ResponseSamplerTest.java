package io.sluice.gatling.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ResponseSamplerTest {
  @Test
  void shouldAcceptEveryMessageUpToTheLimit() {
    ResponseSampler sampler = new ResponseSampler(100);

    assertThat(accepted(sampler, 5_000, 100)).isEqualTo(100);
    assertThat(sampler.skipped()).isZero();
  }

  @Test
  void shouldNeverExceedTheLimitWithinASecond() {
    ResponseSampler sampler = new ResponseSampler(100);

    assertThat(accepted(sampler, 5_000, 101)).isEqualTo(100);
    assertThat(accepted(sampler, 6_000, 10_000)).isLessThanOrEqualTo(100);
    assertThat(sampler.total()).isEqualTo(10_101);
  }

  @Test
  void shouldSelectMessagesOfTheWholeSecond() {
    ResponseSampler sampler = new ResponseSampler(100);
    accepted(sampler, 5_000, 1_000);

    assertThat(accepted(sampler, 6_000, 500)).isEqualTo(50);
    assertThat(accepted(sampler, 6_500, 500)).isEqualTo(50);
  }

  @Test
  void shouldAcceptEveryMessageAgainAfterAPeak() {
    ResponseSampler sampler = new ResponseSampler(100);
    accepted(sampler, 5_000, 1_000);
    accepted(sampler, 6_000, 50);

    assertThat(accepted(sampler, 7_000, 80)).isEqualTo(80);
  }

  @Test
  void shouldAcceptNoMessageWithALimitOfZero() {
    assertThat(accepted(new ResponseSampler(0), 5_000, 10)).isZero();
  }

  private static long accepted(ResponseSampler sampler, long nowMs, int messages) {
    return IntStream.range(0, messages).filter(i -> sampler.accepts(nowMs)).count();
  }
}
