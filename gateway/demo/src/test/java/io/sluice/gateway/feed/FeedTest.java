package io.sluice.gateway.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FeedTest {
  private static final long SECOND = 1_000_000_000;
  private static final long EPOCH = 1_763_700_000_000_000_000L;

  private final List<Sent> sent = new ArrayList<>();
  private final List<FeedReport> reports = new ArrayList<>();
  private final TestClock clock = new TestClock();

  @Test
  void shouldSpreadMessagesEvenlyOverTopicsAndTime() {
    runFor(new FeedPlan("t.", 4, 5), 2 * SECOND);
    assertThat(sent).hasSize(40);
    for (int i = 0; i < sent.size(); i++) {
      assertThat(sent.get(i).topic).isEqualTo(i % 4);
      assertThat(sent.get(i).sequence).isEqualTo(1 + i / 4);
      assertThat(sent.get(i).timeNs).isEqualTo(EPOCH + i * SECOND / 20);
    }
  }

  @Test
  void shouldNotDriftAtAnOddRate() {
    runFor(new FeedPlan("t.", 3, 7.7), 100 * SECOND);
    assertThat(sent).hasSize(2310);
    long last = sent.get(sent.size() - 1).timeNs - EPOCH;
    assertThat(last).isCloseTo((long) (2309 / 23.1 * SECOND), within(2L));
  }

  @Test
  void shouldCatchUpAfterAShortDelayAndCountIt() {
    clock.delayAtNs = SECOND;
    clock.delayNs = SECOND / 2;
    runFor(new FeedPlan("t.", 1, 10), 5 * SECOND);
    assertThat(sent).hasSize(50);
    assertThat(reports.get(0).skipped()).isZero();
    assertThat(reports.get(0).lateness().max()).isBetween(SECOND / 2, SECOND);
    assertThat(reports.get(0).lateness().p50()).isZero();
    assertDueTimes(10);
  }

  @Test
  void shouldStampDueTimesAndReportLatenessAtASlowBroker() {
    clock.sendNs = SECOND / 8;
    clock.slowUntilNs = 2 * SECOND;
    Feed feed = runFor(new FeedPlan("t.", 2, 5), 4 * SECOND);
    assertThat(sent).hasSize(40);
    assertDueTimes(10);
    Lateness lateness = feed.total().orElseThrow().lateness();
    assertThat(lateness.max()).isCloseTo(SECOND * 5 / 8 - SECOND / 10, within(SECOND / 8));
    assertThat(lateness.p999()).isEqualTo(lateness.max());
    assertThat(lateness.p50()).isLessThan(lateness.p99());
    assertThat(lateness.mean()).isBetween(1.0, (double) lateness.max());
  }

  @Test
  void shouldStampDueTimesWhenTheWallClockIsSet() {
    clock.setNs = 100 * SECOND;
    clock.setAtNs = 2 * SECOND;
    runFor(new FeedPlan("t.", 1, 1), 4 * SECOND);
    assertThat(sent.stream().map(message -> (message.timeNs - EPOCH) / SECOND))
        .containsExactly(0L, 1L, 102L, 103L);
  }

  @Test
  void shouldSkipMessagesButNoSequenceNumberAfterALongDelay() {
    clock.delayAtNs = SECOND;
    clock.delayNs = 3 * SECOND;
    runFor(new FeedPlan("t.", 1, 10), 8 * SECOND);
    long skipped = reports.stream().mapToLong(FeedReport::skipped).sum();
    assertThat(skipped).isBetween(29L, 31L);
    assertThat(sent.size() + skipped).isEqualTo(80);
    for (int i = 0; i < sent.size(); i++) {
      assertThat(sent.get(i).sequence).isEqualTo(i + 1);
      assertThat((sent.get(i).timeNs - EPOCH) % (SECOND / 10)).isZero();
    }
    assertThat(sent.get(sent.size() - 1).timeNs - EPOCH).isEqualTo(79 * SECOND / 10);
  }

  @Test
  void shouldCountWhatSlowBrokerDoesNotAcceptInTime() {
    clock.sendNs = SECOND / 8;
    clock.slowUntilNs = Long.MAX_VALUE;
    FeedReport total = runFor(new FeedPlan("t.", 2, 10), 60 * SECOND).total().orElseThrow();
    assertThat(total.sent() + total.skipped()).isBetween(1_199L, 1_203L);
    assertThat(total.sent()).isBetween(470L, 500L);
    assertThat(total.lateness().max()).isLessThan(SECOND * 3 / 2);
  }

  @Test
  void shouldReconnectAndContinueSequenceNumbers() {
    List<Long> opened = new ArrayList<>();
    Feed[] feed = new Feed[1];
    FeedSender.Source source =
        plan -> {
          opened.add(clock.nowNs);
          if (opened.size() == 2) {
            throw new IOException("connection refused");
          }
          return sender(feed, 10 * SECOND, opened.size() == 1 ? 20 : Integer.MAX_VALUE);
        };
    feed[0] = new Feed(new FeedPlan("t.", 2, 10), Stamps.INSTANCE, source, clock, reports::add);
    feed[0].run();
    assertThat(opened).hasSize(3);
    assertThat(opened.get(2) - opened.get(0)).isLessThan(2 * SECOND);
    // The failed message may have arrived, therefore its number is not used again.
    assertThat(sent.get(20).topic).isEqualTo(1);
    assertThat(sent.stream().filter(s -> s.topic == 0).map(s -> s.sequence).toList())
        .startsWith(1L, 2L, 3L)
        .doesNotContain(11L)
        .contains(12L)
        .doesNotHaveDuplicates();
  }

  @Test
  void shouldReportTheFirstConnectionAndTheLastFailure() {
    List<String> failures = new ArrayList<>();
    Feed[] feed = new Feed[1];
    FeedSender.Source source =
        plan -> {
          failures.add(feed[0].lastFailure().orElse("none") + " " + feed[0].connected().isDone());
          if (failures.size() == 1) {
            throw new IOException("connection refused");
          }
          return sender(feed, 10 * SECOND, failures.size() == 2 ? 20 : Integer.MAX_VALUE);
        };
    feed[0] = new Feed(new FeedPlan("t.", 2, 10), Stamps.INSTANCE, source, clock, reports::add);
    feed[0].run();
    String type = IOException.class.getName() + ": ";
    assertThat(failures)
        .containsExactly("none false", type + "connection refused false", type + "lost true");
    assertThat(feed[0].lastFailure()).isEmpty();
  }

  @Test
  void shouldReportRateEveryFiveSeconds() {
    runFor(new FeedPlan("t.", 10, 10), 11 * SECOND);
    assertThat(reports).hasSizeBetween(2, 3);
    assertThat(reports.get(0).rate()).isCloseTo(100, within(1.0));
    assertThat(reports.get(0).toString())
        .startsWith("100.")
        .contains(" messages/s, ")
        .contains("0 skipped; late: mean 0.000, p50 0.000, p99 0.000, p99.9 0.000, max 0.000 ms");
  }

  @Test
  void shouldReportTheTotalSinceTheFirstConnection() {
    clock.nowNs = 7 * SECOND;
    Feed feed = runFor(new FeedPlan("t.", 10, 10), 18 * SECOND);
    FeedReport total = feed.total().orElseThrow();
    assertThat(total.seconds()).isCloseTo(11, within(0.1));
    assertThat(total.sent()).isEqualTo(reports.stream().mapToLong(FeedReport::sent).sum());
  }

  @Test
  void shouldNotRunAfterStop() {
    Feed feed =
        new Feed(
            new FeedPlan("t.", 1, 1),
            Stamps.INSTANCE,
            plan -> {
              throw new AssertionError("opened");
            },
            clock,
            reports::add);
    feed.stop();
    feed.run();
    assertThat(sent).isEmpty();
  }

  @Test
  void shouldRefuseInvalidPlans() {
    assertThatThrownBy(() -> new FeedPlan("", 0, 1)).hasMessageContaining("topics 0 is below 1");
    for (double rate : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> new FeedPlan("", 1, rate)).hasMessageContaining("" + rate);
    }
  }

  /** Asserts that the n-th message has the n-th due time as its stamp. */
  private void assertDueTimes(int messagesPerSecond) {
    for (int i = 0; i < sent.size(); i++) {
      assertThat(sent.get(i).timeNs - EPOCH).isEqualTo(i * SECOND / messagesPerSecond);
    }
  }

  private Feed runFor(FeedPlan plan, long ns) {
    Feed[] feed = new Feed[1];
    FeedSender.Source source = p -> sender(feed, ns, Integer.MAX_VALUE);
    feed[0] = new Feed(plan, Stamps.INSTANCE, source, clock, reports::add);
    feed[0].run();
    return feed[0];
  }

  /** Sender that stops the feed at a time of its clock and fails at the n-th message. */
  private FeedSender sender(Feed[] feed, long endNs, int failAt) {
    clock.onPark =
        () -> {
          if (clock.nowNs >= endNs) {
            feed[0].stop();
          }
        };
    return new FeedSender() {
      private int count;

      @Override
      public void send(int topic, String text) throws IOException {
        if (count++ == failAt) {
          throw new IOException("lost");
        }
        if (clock.nowNs < endNs) {
          String[] parts = text.split("[ =]");
          sent.add(new Sent(topic, Long.parseLong(parts[1]), Long.parseLong(parts[3])));
          clock.onSend();
        }
      }

      @Override
      public void close() {}
    };
  }

  private record Sent(int topic, long timeNs, long sequence) {}

  private enum Stamps implements Payloads {
    INSTANCE;

    @Override
    public String payload(int topic, long sequence, long timeNs) {
      return Stamp.of(sequence, timeNs);
    }
  }

  /**
   * Clock that advances only while the feed waits or sends, and once by an unexpected delay. The
   * wall clock may be set once.
   */
  private static final class TestClock implements FeedClock {
    private long nowNs;
    private long delayAtNs = Long.MAX_VALUE;
    private long delayNs;
    private long sendNs;
    private long slowUntilNs;
    private long setAtNs = Long.MAX_VALUE;
    private long setNs;
    private Runnable onPark = () -> {};

    @Override
    public long nowNs() {
      return nowNs;
    }

    @Override
    public long epochNs() {
      return EPOCH + nowNs + (nowNs >= setAtNs ? setNs : 0);
    }

    void onSend() {
      nowNs += nowNs < slowUntilNs ? sendNs : 0;
    }

    @Override
    public void park(long ns) {
      nowNs += ns;
      if (nowNs >= delayAtNs) {
        delayAtNs = Long.MAX_VALUE;
        nowNs += delayNs;
      }
      onPark.run();
    }
  }
}
