package io.sluice.loadtest.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.loadtest.broker.result.DiskResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskBenchmarkTest {
  @TempDir private Path folder;

  @Test
  void shouldMeasureEachAccessMethodAndDeleteFiles() throws Exception {
    List<DiskResult> results = new DiskBenchmark(folder, Duration.ofMillis(1)).run();

    for (DiskResult.Access way : DiskResult.Access.values()) {
      if (way != DiskResult.Access.READ_DIRECT) {
        assertThat(results)
            .filteredOn(result -> result.way() == way)
            .extracting(DiskResult::block)
            .containsExactlyElementsOf(DiskResult.BLOCKS);
      }
    }
    assertThat(results)
        .allSatisfy(
            result -> {
              assertThat(result.perSecond()).isPositive();
              assertThat(result.times().count()).isPositive();
            });
    assertThat(folder).isEmptyDirectory();
  }
}
