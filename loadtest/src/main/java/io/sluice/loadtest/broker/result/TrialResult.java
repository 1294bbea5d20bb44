package io.sluice.loadtest.broker.result;

import io.sluice.loadtest.broker.workload.Persistence;
import java.util.List;
import java.util.Map;

/**
 * What one run has found. Immutable.
 *
 * @param steps times of the steps that were made, of what counts
 * @param lost deliveries that the broker answered for and nobody got, warm-up included; null if a
 *     selector makes it impossible to tell
 * @param repeated deliveries that came again, warm-up included
 * @param foreign messages that were not of this run
 * @param drained whether all came; otherwise the wait for more was given up
 */
public record TrialResult(
    Persistence delivery,
    Rates rates,
    Map<MessageStep, DurationSummary> steps,
    Long lost,
    long repeated,
    long foreign,
    boolean drained,
    List<Interval> intervals) {

  /**
   * What was counted.
   *
   * @param seconds that count
   * @param sent messages that the broker has answered for in that time
   * @param received deliveries to all consumers in that time
   * @param backlog deliveries that the consumers lagged behind at its end
   */
  public record Rates(double seconds, long sent, long received, long backlog) {
    double sentPerSecond() {
      return sent / seconds;
    }

    double receivedPerSecond() {
      return received / seconds;
    }
  }

  /** Mean microseconds of a step; NaN if it was not made. */
  double mean(MessageStep step) {
    DurationSummary figures = steps.get(step);
    return figures == null ? Double.NaN : figures.mean();
  }

  /** Microseconds a message from the send's begin to the broker's answer, its share of commits. */
  double answer() {
    return perMessage(MessageStep.SEND, MessageStep.SEND)
        + perMessage(MessageStep.COMMIT, MessageStep.SEND);
  }

  /** Microseconds a message of what the consumer does to acknowledge, in its own code. */
  double acknowledge() {
    return perMessage(MessageStep.ACKNOWLEDGE, MessageStep.DECODE);
  }

  private double perMessage(MessageStep step, MessageStep messages) {
    DurationSummary figures = steps.get(step);
    DurationSummary counted = steps.get(messages);
    return figures == null || counted == null ? 0 : figures.sum() / counted.count();
  }

  /**
   * Events of one part of the time. Immutable.
   *
   * @param seconds since the warm-up
   * @param sent messages a second that the broker has answered for
   * @param received messages a second, of all consumers
   * @param latency from when messages were due until they were read; null if none came
   */
  public record Interval(double seconds, double sent, double received, DurationSummary latency) {}
}
