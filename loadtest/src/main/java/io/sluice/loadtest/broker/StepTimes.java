package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.result.MessageStep;
import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/** Recorded durations of one producer or consumer. One thread records; one other thread reads. */
final class StepTimes {
  private static final int DIGITS = 3;

  private final Map<MessageStep, SingleWriterRecorder> recorders = new EnumMap<>(MessageStep.class);

  StepTimes() {
    for (MessageStep step : MessageStep.values()) {
      recorders.put(step, new SingleWriterRecorder(DIGITS));
    }
  }

  void record(MessageStep step, long nanos) {
    recorders.get(step).recordValue(Math.max(0, nanos));
  }

  /** Moves the durations recorded since the last call into sums. */
  void moveTo(Map<MessageStep, Histogram> sums) {
    recorders.forEach(
        (step, recorder) -> {
          Histogram recent = recorder.getIntervalHistogram();
          if (recent.getTotalCount() > 0) {
            sums.computeIfAbsent(step, absent -> new Histogram(DIGITS)).add(recent);
          }
        });
  }
}
