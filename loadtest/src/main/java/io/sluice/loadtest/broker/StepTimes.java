package io.sluice.loadtest.broker;

import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * The times that one producer or consumer takes. One thread records, one other takes what was
 * recorded.
 */
final class StepTimes {
  private static final int DIGITS = 3;

  private final Map<Step, SingleWriterRecorder> recorders = new EnumMap<>(Step.class);

  StepTimes() {
    for (Step step : Step.values()) {
      recorders.put(step, new SingleWriterRecorder(DIGITS));
    }
  }

  void record(Step step, long nanos) {
    recorders.get(step).recordValue(Math.max(0, nanos));
  }

  /** Adds what was recorded since the last call. */
  void moveTo(Map<Step, Histogram> sums) {
    recorders.forEach(
        (step, recorder) -> {
          Histogram recent = recorder.getIntervalHistogram();
          if (recent.getTotalCount() > 0) {
            sums.computeIfAbsent(step, absent -> new Histogram(DIGITS)).add(recent);
          }
        });
  }
}
