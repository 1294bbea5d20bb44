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
 * One run of one workload with one delivery mode: consumers, then producers, a warm-up, the time
 * that counts, and the wait for what is still on its way. For one thread.
 */
final class Trial {
  private static final long GLANCE_NANOS = 1_000_000;
  private static final double NANOS = 1e9;

  private final BrokerTarget target;
  private final BrokerWorkload workload;
  private final Persistence delivery;
  private final Length length;
  private final int run;
  private final Consumer<TrialResult.Interval> progress;
  private final TrialPhase stage = new TrialPhase();
  private final List<TrialResult.Interval> intervals = new ArrayList<>();
  private final StepSums steps = new StepSums();

  /**
   * A run that has not begun.
   *
   * @param run a number that no other run of the same broker has had
   * @param progress is told of each interval
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
   * Runs it.
   *
   * @throws Exception what the broker, its client or the gateway failed with
   */
  TrialResult run() throws Exception {
    try (Receivers receivers = Receivers.open(target, workload, run, stage);
        Producers producers = Producers.open(target, workload, delivery, length, run, stage)) {
      producers.start();
      await(length.warmUp(), producers);
      TrialResult.Rates rates = measure(producers, receivers);
      stage.end();
      producers.join();
      stage.check();
      boolean drained = drain(producers, receivers);
      stage.check();
      return result(rates, producers, receivers, drained);
    } finally {
      stage.end();
    }
  }

  private TrialResult.Rates measure(Producers producers, Receivers receivers) throws Exception {
    steps.skip(producers, receivers);
    long begin = System.nanoTime();
    long sent = producers.answered();
    long received = receivers.received();
    stage.measure();
    reportIntervals(begin, producers, receivers);
    long nowSent = producers.answered();
    long nowReceived = receivers.received();
    double seconds = (System.nanoTime() - begin) / NANOS;
    steps.take(producers, receivers);
    return new TrialResult.Rates(
        seconds, nowSent - sent, nowReceived - received, backlog(producers, nowReceived));
  }

  /** How many deliveries the consumers lag behind. */
  private long backlog(Producers producers, long received) {
    if (!workload.selector().isEmpty()) {
      return 0;
    }
    return Math.max(0, producers.deliveries() - received);
  }

  private void reportIntervals(long begin, Producers producers, Receivers receivers)
      throws Exception {
    long end = length.messages() > 0 ? Long.MAX_VALUE : begin + length.duration().toNanos();
    long last = begin;
    long sent = producers.answered();
    long received = receivers.received();
    while (last < end && !producers.ended()) {
      long due = Math.min(end, last + length.interval().toNanos());
      awaitUntil(due, producers);
      long now = System.nanoTime();
      long nowSent = producers.answered();
      long nowReceived = receivers.received();
      double seconds = (now - last) / NANOS;
      TrialResult.Interval interval =
          new TrialResult.Interval(
              (now - begin) / NANOS,
              (nowSent - sent) / seconds,
              (nowReceived - received) / seconds,
              steps.takeLatency(producers, receivers));
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

  /** Returns at the time, or when the producers have ended, or by the exception that ended them. */
  private void awaitUntil(long nanos, Producers producers) throws Exception {
    for (long left = nanos - System.nanoTime(); left > 0 && !producers.ended(); ) {
      LockSupport.parkNanos(Math.min(left, GLANCE_NANOS));
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      left = nanos - System.nanoTime();
    }
    stage.check();
  }

  /** Waits for what was sent; false if nothing came for the time of patience. */
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
      LockSupport.parkNanos(GLANCE_NANOS);
      stage.check();
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
