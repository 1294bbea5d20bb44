package io.sluice.gateway.admin.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SharedResultsTest {
  private static final long MAX_AGE_NS = 1_000;

  private final AtomicLong nanos = new AtomicLong();
  private final SharedResults<String> results = new SharedResults<>(MAX_AGE_NS, nanos::get);

  @Test
  void shouldShareAResultUntilItIsTooOld() {
    assertThat(results.find("a")).isNull();
    results.add("a", "result");
    nanos.addAndGet(MAX_AGE_NS - 1);
    assertThat(results.find("a")).isEqualTo("result");
    assertThat(results.find("b")).isNull();
    nanos.addAndGet(1);
    assertThat(results.find("a")).isNull();
  }

  @Test
  void shouldRemoveTheOldestResultAboveTheMaximum() {
    for (int i = 0; i <= SharedResults.MAX_RESULTS; i++) {
      results.add(i, "result");
    }
    assertThat(results.find(0)).isNull();
    assertThat(results.find(1)).isEqualTo("result");
    assertThat(results.find(SharedResults.MAX_RESULTS)).isEqualTo("result");
  }

  @Test
  void shouldRemoveAllResultsAfterACommand() {
    results.add("a", "result");
    results.clear();
    assertThat(results.find("a")).isNull();
  }
}
