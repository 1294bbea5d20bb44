package io.sluice.gateway.cli.signal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class IgnoredSignalsTest {
  @Test
  void shouldReadTheMaskOfTheKernel() {
    long mask = IgnoredSignals.mask(List.of("Name:\tjava", "SigIgn:\t8000000000000003"));
    assertThat(IgnoredSignals.contains(mask, 1)).isTrue();
    assertThat(IgnoredSignals.contains(mask, 2)).isTrue();
    assertThat(IgnoredSignals.contains(mask, 15)).isFalse();
    assertThat(IgnoredSignals.contains(mask, 64)).isTrue();
  }

  @Test
  void shouldReportNoneWithoutMask() {
    assertThat(IgnoredSignals.mask(List.of())).isZero();
    assertThat(IgnoredSignals.mask(Path.of("does", "not", "exist"))).isZero();
  }
}
