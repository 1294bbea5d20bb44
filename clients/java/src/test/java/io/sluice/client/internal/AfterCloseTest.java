package io.sluice.client.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AfterCloseTest {
  @ParameterizedTest
  @CsvSource({
    "RETRY, '1000,1001,1002,1003,1006,1007,1009,1011,3000,4000,4099,4202,4206,4299'",
    "RETRY_ELSEWHERE, '4100,4101,4199'",
    "DONT_RETRY, '4200,4201,4203,4204,4205'"
  })
  void shouldSelectReactionByBandOfCode(AfterClose expected, String codes) {
    for (String code : codes.split(",")) {
      assertThat(AfterClose.of(Integer.parseInt(code))).as(code).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @CsvSource({"0,500", "1,500", "2,1000", "3,2000", "7,30000", "2000000000,30000"})
  void shouldDoubleTheBoundOfTheWait(int failures, long bound) {
    assertThat(AfterClose.backoffMs(failures, 500, 30_000, () -> 0)).isZero();
    assertThat(AfterClose.backoffMs(failures, 500, 30_000, () -> 0.9999999))
        .isBetween(bound - 1, bound);
  }
}
