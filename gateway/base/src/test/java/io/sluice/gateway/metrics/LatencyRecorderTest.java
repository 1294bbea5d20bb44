package io.sluice.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LatencyRecorderTest {
  private final LatencyRecorder recorder = new LatencyRecorder();

  @Test
  void shouldCountEachFrame() {
    recorder.record(1_000, 7);

    assertThat(total()).isEqualTo(7);
    assertThat(recorder.sumMicros()).isEqualTo(7_000);
  }

  @Test
  void shouldClampLatenciesToTheLimits() {
    recorder.record(Long.MAX_VALUE, 1);
    recorder.record(LatencyRecorder.HIGHEST_MICROS + 1, 1);
    recorder.record(-1, 1);
    recorder.record(Long.MIN_VALUE, 1);

    assertThat(recorder.count(0)).isEqualTo(2);
    assertThat(recorder.count(LatencyRecorder.BUCKETS - 1)).isEqualTo(2);
    assertThat(recorder.takeMaxMicros()).isEqualTo(LatencyRecorder.HIGHEST_MICROS);
    assertThat(recorder.takeMaxMicros()).isZero();
    assertThat(recorder.sumMicros()).isEqualTo(2 * LatencyRecorder.HIGHEST_MICROS);
  }

  @Test
  void shouldIgnoreLatenciesWithoutFrames() {
    recorder.record(1_000, 0);
    recorder.record(1_000, -5);

    assertThat(total()).isZero();
    assertThat(recorder.sumMicros()).isZero();
  }

  @Test
  void shouldNotAllocate() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    recordMany();
    long before = threads.getCurrentThreadAllocatedBytes();
    recordMany();
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;

    assertThat(allocated).isLessThan(10_000);
  }

  private long total() {
    return IntStream.range(0, LatencyRecorder.BUCKETS).mapToLong(recorder::count).sum();
  }

  private void recordMany() {
    for (int i = 0; i < 100_000; i++) {
      recorder.record(i, 3);
    }
  }
}
