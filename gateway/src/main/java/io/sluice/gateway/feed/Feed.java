package io.sluice.gateway.feed;

import io.sluice.gateway.config.ServiceUrl;
import jakarta.jms.JMSException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes to a broker at a steady rate, whatever the broker does (open loop). {@link #run} takes
 * the calling thread until {@link #stop}, which any thread may call.
 */
public final class Feed implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Feed.class);
  private static final int MOST_CAUSES = 10;
  private static final long REPORT_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long FIRST_BACKOFF_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long LAST_BACKOFF_NS = TimeUnit.SECONDS.toNanos(10);

  private final FeedPlan plan;
  private final Payloads payloads;
  private final Outlet.Source outlets;
  private final FeedClock clock;
  private final FeedTally tally;
  private final Pace pace;
  private final long[] sequences;
  private volatile Thread runner;
  private volatile boolean stopped;

  Feed(
      FeedPlan plan,
      Payloads payloads,
      Outlet.Source outlets,
      FeedClock clock,
      Consumer<FeedReport> reports) {
    this.plan = plan;
    this.payloads = payloads;
    this.outlets = outlets;
    this.clock = clock;
    this.tally = new FeedTally(REPORT_NS, clock.nowNs(), reports);
    this.pace = new Pace(plan.topics() * plan.rate(), clock.nowNs());
    this.sequences = new long[plan.topics()];
  }

  /**
   * A feed to a broker.
   *
   * @throws IllegalArgumentException if the target's URL is not one of its provider's
   */
  public static Feed to(
      FeedTarget target, FeedPlan plan, Payloads payloads, Consumer<FeedReport> reports) {
    Outlet.Source outlets =
        JmsOutlet.source(
            target.provider().factory(target.url()),
            target.user(),
            target.password(),
            target.persistent());
    return new Feed(plan, payloads, outlets, FeedClock.system(), reports);
  }

  /** Publishes, and connects again whenever the broker is lost, until {@link #stop}. */
  @Override
  public void run() {
    runner = Thread.currentThread();
    long backoffNs = FIRST_BACKOFF_NS;
    while (!stopped) {
      try (Outlet outlet = outlets.open(plan)) {
        LOG.atInfo().addKeyValue("topics", plan.topics()).log("feed.connected");
        backoffNs = FIRST_BACKOFF_NS;
        publish(outlet);
      } catch (JMSException e) {
        if (!stopped) {
          long waitNs = ThreadLocalRandom.current().nextLong(backoffNs + 1);
          LOG.atWarn()
              .addKeyValue("cause", reason(e))
              .addKeyValue("retry_ms", TimeUnit.NANOSECONDS.toMillis(waitNs))
              .log("feed.broker-lost");
          waitUntil(clock.nowNs() + waitNs);
          backoffNs = Math.min(2 * backoffNs, LAST_BACKOFF_NS);
        }
      }
    }
    tally.report(clock.nowNs());
  }

  /** Clients wrap what happened, and their own words don't say much. */
  private static String reason(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; depth < MOST_CAUSES && cause.getCause() != null; depth++) {
      cause = cause.getCause();
    }
    return ServiceUrl.masked(cause.toString());
  }

  /** Ends {@link #run} soon; may be called before it begins. */
  public void stop() {
    stopped = true;
    LockSupport.unpark(runner);
  }

  /** The first connection begins the timetable; after a loss it goes on, less what it missed. */
  private void publish(Outlet outlet) throws JMSException {
    if (sequences[0] == 0) {
      pace.restart(clock.nowNs());
    }
    while (!stopped) {
      waitUntil(pace.dueNs());
      long nowNs = clock.nowNs();
      tally.onSkipped(pace.skip(nowNs));
      while (pace.dueNs() <= nowNs && !stopped) {
        sendNext(outlet);
        nowNs = clock.nowNs();
      }
      tally.reportIfDue(nowNs);
    }
  }

  private void waitUntil(long timeNs) {
    for (long now = clock.nowNs(); now < timeNs && !stopped; now = clock.nowNs()) {
      clock.park(timeNs - now);
    }
  }

  private void sendNext(Outlet outlet) throws JMSException {
    long dueNs = pace.dueNs();
    int topic = pace.topic(plan.topics());
    pace.advance();
    String text = payloads.payload(topic, ++sequences[topic], clock.epochNs());
    outlet.send(topic, text);
    tally.onSent(clock.nowNs() - dueNs);
  }
}
