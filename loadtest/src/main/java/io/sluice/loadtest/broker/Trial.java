package io.sluice.loadtest.broker;

import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.result.TrialResult;
import io.sluice.loadtest.broker.workload.BrokerWorkload;
import io.sluice.loadtest.broker.workload.Length;
import io.sluice.loadtest.broker.workload.Persistence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * One run of one workload with one delivery mode. For one thread.
 *
 * <p>It creates the consumers and then the producers, warms up, measures, and waits for outstanding
 * messages.
 */
final class Trial {
  private static final long POLL_NANOS = 1_000_000;
  private static final double NANOS = 1e9;

  private final BrokerTarget target;
  private final BrokerWorkload workload;
  private final Persistence delivery;
  private final Length length;
  private final int run;
  private final Consumer<TrialResult.Interval> progress;
  private final TrialPhase phase = new TrialPhase();
  private final List<TrialResult.Interval> intervals = new ArrayList<>();
  private final StepSums steps = new StepSums();

  /**
   * Creates a trial.
   *
   * @param run a number unique among the runs of the broker
   * @param progress receives each interval
   */
  Trial(
      BrokerTarget target,
      BrokerWorkload workload,
      Persistence delivery,
      Length length,
      int run,
      Consumer<TrialResult.Interval> progress) {
    this.target = target;
    this.workload = workload;
    this.delivery = delivery;
    this.length = length;
    this.run = run;
    this.progress = progress;
  }

  /**
   * Runs the trial.
   *
   * @throws Exception a failure of the broker, its client or the gateway
   */
  TrialResult run() throws Exception {
    try (Receivers receivers = Receivers.open(target, workload, run, phase);
        Producers producers = Producers.open(target, workload, delivery, length, run, phase)) {
      producers.start();
      await(length.warmUp(), producers);
      TrialResult.Rates rates = measure(producers, receivers);
      phase.end();
      producers.join();
      phase.check();
      boolean drained = drain(producers, receivers);
      phase.check();
      return result(rates, producers, receivers, drained);
    } finally {
      phase.end();
    }
  }

  private TrialResult.Rates measure(Producers producers, Receivers receivers) throws Exception {
    steps.discard(producers, receivers);
    long start = System.nanoTime();
    long sent = producers.confirmed();
    long received = receivers.received();
    phase.measure();
    reportIntervals(start, producers, receivers);
    long nowSent = producers.confirmed();
    long nowReceived = receivers.received();
    double seconds = (System.nanoTime() - start) / NANOS;
    steps.addRecent(producers, receivers);
    return new TrialResult.Rates(
        seconds, nowSent - sent, nowReceived - received, backlog(producers, nowReceived));
  }

  /** Returns the number of outstanding deliveries. */
  private long backlog(Producers producers, long received) {
    if (!workload.selector().isEmpty()) {
      return 0;
    }
    return Math.max(0, producers.deliveries() - received);
  }

  private void reportIntervals(long start, Producers producers, Receivers receivers)
      throws Exception {
    long end = length.messages() > 0 ? Long.MAX_VALUE : start + length.duration().toNanos();
    long last = start;
    long sent = producers.confirmed();
    long received = receivers.received();
    while (last < end && !producers.hasEnded()) {
      long due = Math.min(end, last + length.interval().toNanos());
      awaitUntil(due, producers);
      long now = System.nanoTime();
      long nowSent = producers.confirmed();
      long nowReceived = receivers.received();
      double seconds = (now - last) / NANOS;
      TrialResult.Interval interval =
          new TrialResult.Interval(
              (now - start) / NANOS,
              (nowSent - sent) / seconds,
              (nowReceived - received) / seconds,
              steps.addLatency(producers, receivers));
      intervals.add(interval);
      progress.accept(interval);
      last = now;
      sent = nowSent;
      received = nowReceived;
    }
  }

  private void await(Duration duration, Producers producers) throws Exception {
    awaitUntil(System.nanoTime() + duration.toNanos(), producers);
  }

  /**
   * Waits until a time or until the producers have ended.
   *
   * @throws Exception the failure of a producer or consumer
   */
  private void awaitUntil(long nanos, Producers producers) throws Exception {
    for (long left = nanos - System.nanoTime(); left > 0 && !producers.hasEnded(); ) {
      LockSupport.parkNanos(Math.min(left, POLL_NANOS));
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      left = nanos - System.nanoTime();
    }
    phase.check();
  }

  /**
   * Waits for outstanding messages.
   *
   * @return false if no message was received within the idle timeout
   */
  private boolean drain(Producers producers, Receivers receivers) throws Exception {
    long expected = workload.selector().isEmpty() ? producers.deliveries() : Long.MAX_VALUE;
    long seen = -1;
    long since = System.nanoTime();
    while (seen < expected) {
      long received = receivers.received();
      long now = System.nanoTime();
      if (received > seen) {
        seen = received;
        since = now;
      } else if (now - since > length.patience().toNanos()) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
      phase.check();
    }
    return true;
  }

  private TrialResult result(
      TrialResult.Rates rates, Producers producers, Receivers receivers, boolean drained)
      throws Exception {
    receivers.finish();
    Map<Integer, Long> sent = new HashMap<>();
    producers.addSentTo(sent);
    Long lost = workload.selector().isEmpty() ? receivers.lost(sent) : null;
    return new TrialResult(
        delivery,
        rates,
        steps.figures(),
        lost,
        receivers.repeated(),
        receivers.foreign(),
        drained,
        List.copyOf(intervals));
  }
}
