package io.sluice.loadtest.broker.result;

import io.sluice.loadtest.broker.workload.Persistence;
import java.util.List;
import java.util.Map;

/**
 * Result of one run. Immutable, for any thread.
 *
 * @param steps durations of the executed steps in the measured time
 * @param lost missing deliveries of confirmed messages, including the warm-up; null if unknown
 *     because of a selector
 * @param repeated duplicate deliveries, including the warm-up
 * @param foreign messages of other runs
 * @param drained whether all messages were received before the idle timeout
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
   * Counters of the measured time. Immutable.
   *
   * @param seconds measured seconds
   * @param sent messages confirmed by the broker in that time
   * @param received deliveries to all consumers in that time
   * @param backlog outstanding deliveries at its end
   */
  public record Rates(double seconds, long sent, long received, long backlog) {
    double sentPerSecond() {
      return sent / seconds;
    }

    double receivedPerSecond() {
      return received / seconds;
    }
  }

  /** Returns the mean duration of a step in microseconds, or NaN if it was not executed. */
  double mean(MessageStep step) {
    DurationSummary figures = steps.get(step);
    return figures == null ? Double.NaN : figures.mean();
  }

  /**
   * Returns the microseconds per message from the start of sending to the broker's confirmation,
   * including its share of commits.
   */
  double confirmation() {
    return perMessage(MessageStep.SEND, MessageStep.SEND)
        + perMessage(MessageStep.COMMIT, MessageStep.SEND);
  }

  /** Returns the microseconds per message that the consumer spends on acknowledging. */
  double acknowledge() {
    return perMessage(MessageStep.ACKNOWLEDGE, MessageStep.DECODE);
  }

  private double perMessage(MessageStep step, MessageStep messages) {
    DurationSummary figures = steps.get(step);
    DurationSummary counted = steps.get(messages);
    return figures == null || counted == null ? 0 : figures.sum() / counted.count();
  }

  /**
   * Rates of one reporting interval. Immutable.
   *
   * @param seconds since the end of the warm-up
   * @param sent messages per second confirmed by the broker
   * @param received messages per second of all consumers
   * @param latency from the messages' due time until they were decoded; null without messages
   */
  public record Interval(double seconds, double sent, double received, DurationSummary latency) {}
}
