package io.sluice.gateway.overload;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Counts of the messages of a group of {@link LoadClient}s. Any thread may call it. */
final class LoadTally {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long LONGEST_US = TimeUnit.MINUTES.toMicros(10);

  private final Histogram latenciesUs = new Histogram(LONGEST_US, 3);
  private final Map<String, Integer> overloads = new HashMap<>();
  private final Map<String, Integer> otherGaps = new HashMap<>();
  private long lost;
  private long repeated;
  private int errors;
  private String firstError = "";

  synchronized void onMessage(long latencyNs, boolean isLost, boolean isRepeated) {
    long latencyUs = TimeUnit.NANOSECONDS.toMicros(latencyNs);
    latenciesUs.recordValue(Math.max(0, Math.min(LONGEST_US, latencyUs)));
    lost += isLost ? 1 : 0;
    repeated += isRepeated ? 1 : 0;
  }

  synchronized void onGap(String topic, boolean isOverload) {
    (isOverload ? overloads : otherGaps).merge(topic, 1, Integer::sum);
  }

  synchronized void onError(String what) {
    errors++;
    firstError = firstError.isEmpty() ? what : firstError;
  }

  /** Returns the figures since the previous call. */
  synchronized ObjectNode take() {
    ObjectNode report = JSON.createObjectNode();
    report.put("p50", latenciesUs.getValueAtPercentile(50) / 1e3);
    report.put("p99", latenciesUs.getValueAtPercentile(99) / 1e3);
    report.put("max", latenciesUs.getMaxValue() / 1e3);
    report.put("count", latenciesUs.getTotalCount());
    report.set("overloads", JSON.valueToTree(overloads));
    report.set("otherGaps", JSON.valueToTree(otherGaps));
    report.put("lost", lost).put("repeated", repeated);
    report.put("errors", errors).put("firstError", firstError);
    latenciesUs.reset();
    overloads.clear();
    otherGaps.clear();
    lost = 0;
    repeated = 0;
    errors = 0;
    firstError = "";
    return report;
  }
}
