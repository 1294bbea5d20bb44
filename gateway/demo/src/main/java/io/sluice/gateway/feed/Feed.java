package io.sluice.gateway.feed;

import io.sluice.gateway.config.ServiceUrl;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publisher of messages at a constant rate, independent of the broker's speed (open loop). {@link
 * #run} occupies the calling thread until {@link #stop}, which any thread may call.
 *
 * <p>Each message has its due time as its timestamp, whenever it is sent. A receiver's latency
 * therefore contains the delays of the feed, its JMS client and the broker's flow control.
 *
 * <p>A feed that is late sends the overdue messages at once. If it is more than one second late, it
 * skips them: they are not sent, and the report counts them. It also counts those whose sending
 * failed, and those that are overdue at the end.
 */
public final class Feed implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Feed.class);
  private static final int MAX_CAUSES = 10;
  private static final long REPORT_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long MIN_BACKOFF_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long MAX_BACKOFF_NS = TimeUnit.SECONDS.toNanos(10);

  private final FeedPlan plan;
  private final Payloads payloads;
  private final FeedSender.Source senders;
  private final FeedClock clock;
  private final FeedTally tally;
  private final FeedSchedule schedule;
  private final long[] sequences;
  private final CompletableFuture<Void> connected = new CompletableFuture<>();
  private volatile FeedReport total;
  private volatile String lastFailure;
  private volatile Thread runner;
  private volatile boolean stopped;

  Feed(
      FeedPlan plan,
      Payloads payloads,
      FeedSender.Source senders,
      FeedClock clock,
      Consumer<FeedReport> reports) {
    this.plan = plan;
    this.payloads = payloads;
    this.senders = senders;
    this.clock = clock;
    this.tally = new FeedTally(REPORT_NS, clock.nowNs(), reports);
    this.schedule = new FeedSchedule(plan.topics() * plan.rate(), clock.nowNs());
    this.sequences = new long[plan.topics()];
  }

  /**
   * Creates a feed to a broker.
   *
   * @throws IllegalArgumentException if the target's URL is invalid for its provider
   */
  public static Feed to(
      FeedTarget target, FeedPlan plan, Payloads payloads, Consumer<FeedReport> reports) {
    return to(JmsFeedSender.source(target), plan, payloads, reports);
  }

  /** Creates a feed by senders. */
  public static Feed to(
      FeedSender.Source senders, FeedPlan plan, Payloads payloads, Consumer<FeedReport> reports) {
    return new Feed(plan, payloads, senders, FeedClock.system(), reports);
  }

  /** Publishes until {@link #stop}; reconnects after each loss of the broker. */
  @Override
  public void run() {
    runner = Thread.currentThread();
    long backoffNs = MIN_BACKOFF_NS;
    while (!stopped) {
      try (FeedSender sender = senders.open(plan)) {
        LOG.atInfo().addKeyValue("topics", plan.topics()).log("feed.connected");
        backoffNs = MIN_BACKOFF_NS;
        lastFailure = null;
        connected.complete(null);
        publish(sender);
      } catch (IOException e) {
        if (!stopped) {
          long delayNs = ThreadLocalRandom.current().nextLong(backoffNs + 1);
          onFailure(rootCause(e), delayNs);
          waitUntil(clock.nowNs() + delayNs);
          backoffNs = Math.min(2 * backoffNs, MAX_BACKOFF_NS);
        }
      }
    }
    if (connected.isDone()) {
      tally.onSkipped(schedule.skipAll(clock.nowNs()));
    }
    tally.report(clock.nowNs());
    total = tally.total(clock.nowNs());
  }

  /** Returns the figures since the first connection, after the end of {@link #run}. */
  public Optional<FeedReport> total() {
    return Optional.ofNullable(total);
  }

  /** Returns a future that completes with the first connection. */
  public CompletableFuture<Void> connected() {
    return connected.copy();
  }

  /** Returns the cause of the last failure since the last connection. */
  public Optional<String> lastFailure() {
    return Optional.ofNullable(lastFailure);
  }

  /** Logs a failure, unless the previous attempt had the same cause. */
  private void onFailure(String cause, long delayNs) {
    if (cause.equals(lastFailure)) {
      return;
    }
    lastFailure = cause;
    LOG.atWarn()
        .addKeyValue("cause", cause)
        .addKeyValue("retry_ms", TimeUnit.NANOSECONDS.toMillis(delayNs))
        .log("feed.broker-lost");
  }

  /** Returns the deepest cause, because JMS clients wrap it in exceptions without information. */
  private static String rootCause(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; depth < MAX_CAUSES && cause.getCause() != null; depth++) {
      cause = cause.getCause();
    }
    return ServiceUrl.masked(cause.toString());
  }

  /** Stops {@link #run}; may be called before it begins. */
  public void stop() {
    stopped = true;
    LockSupport.unpark(runner);
  }

  /** Publishes on schedule, which starts with the first connection and continues after a loss. */
  private void publish(FeedSender sender) throws IOException {
    if (sequences[0] == 0) {
      long nowNs = clock.nowNs();
      schedule.restart(nowNs);
      tally.restart(nowNs);
    }
    while (!stopped) {
      waitUntil(schedule.dueNs());
      long nowNs = clock.nowNs();
      tally.onSkipped(schedule.skip(nowNs)); // also while it sends more slowly than planned
      if (schedule.dueNs() <= nowNs && !stopped) {
        sendNext(sender);
      }
      tally.reportIfDue(nowNs);
    }
  }

  private void waitUntil(long timeNs) {
    for (long now = clock.nowNs(); now < timeNs && !stopped; now = clock.nowNs()) {
      clock.park(timeNs - now);
    }
  }

  private void sendNext(FeedSender sender) throws IOException {
    long dueNs = schedule.dueNs();
    int topic = schedule.topic(plan.topics());
    schedule.advance();
    String text = payloads.payload(topic, ++sequences[topic], epochNs(dueNs));
    try {
      sender.send(topic, text);
    } catch (IOException e) {
      tally.onSkipped(1);
      throw e;
    }
    tally.onSent(clock.nowNs() - dueNs);
  }

  /** Converts a monotonic time; both clocks are read anew, because the wall clock may be set. */
  private long epochNs(long timeNs) {
    return clock.epochNs() - (clock.nowNs() - timeNs);
  }
}
