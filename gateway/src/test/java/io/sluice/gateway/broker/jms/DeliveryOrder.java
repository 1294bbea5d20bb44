package io.sluice.gateway.broker.jms;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/** Order in which one connection delivered messages, and the figures that follow from it. */
final class DeliveryOrder {
  /** One delivered message; {@code sentNs} was taken just before it was sent. */
  record Delivery(
      int topic, int publisher, long number, long sequence, long sentNs, long arrivedNs) {}

  /** Deliveries that a probe (a canary, or a message of a quiet topic) overtook. */
  private record Overtaking(long messages, long olderByNs, long laterByNs) {}

  private final List<Delivery> deliveries = new ArrayList<>();

  synchronized void add(Delivery delivery) {
    deliveries.add(delivery);
  }

  synchronized long size() {
    return deliveries.size();
  }

  private List<Delivery> of(int topic) {
    return of(other -> other == topic);
  }

  private List<Delivery> of(IntPredicate topic) {
    return deliveries.stream().filter(d -> topic.test(d.topic())).toList();
  }

  /** Describes the overtaking by a probe topic up to {@code endNs} in one line. */
  synchronized String overtaking(IntPredicate probe, int topics, long endNs) {
    List<Overtaking> all =
        of(probe).stream()
            .filter(p -> p.arrivedNs() < endNs)
            .map(p -> overtakenBy(p, topics))
            .toList();
    return String.format(
        Locale.ROOT,
        "%d probes, %d overtook; at most %d messages, sent up to %d ms before the probe,"
            + " delivered up to %d ms after it",
        all.size(),
        all.stream().filter(o -> o.messages() > 0).count(),
        all.stream().mapToLong(Overtaking::messages).max().orElse(0),
        ms(all.stream().mapToLong(Overtaking::olderByNs).max().orElse(0)),
        ms(all.stream().mapToLong(Overtaking::laterByNs).max().orElse(0)));
  }

  private Overtaking overtakenBy(Delivery probe, int topics) {
    long messages = 0;
    long olderByNs = 0;
    long laterByNs = 0;
    for (Delivery d : deliveries) {
      if (d.topic() < topics && isOvertaken(d, probe)) {
        messages++;
        olderByNs = Math.max(olderByNs, probe.sentNs() - d.sentNs());
        laterByNs = Math.max(laterByNs, d.arrivedNs() - probe.arrivedNs());
      }
    }
    return new Overtaking(messages, olderByNs, laterByNs);
  }

  private static boolean isOvertaken(Delivery d, Delivery probe) {
    return d.sentNs() < probe.sentNs() && d.arrivedNs() > probe.arrivedNs();
  }

  /** Round trip times of the probe topic. */
  synchronized String roundTrips(IntPredicate probe, long endNs) {
    long[] ns =
        of(probe).stream()
            .filter(p -> p.arrivedNs() < endNs)
            .mapToLong(p -> p.arrivedNs() - p.sentNs())
            .sorted()
            .toArray();
    return ns.length == 0
        ? "none"
        : String.format(
            Locale.ROOT, "p50 %d ms, max %d ms", ms(ns[ns.length / 2]), ms(ns[ns.length - 1]));
  }

  /**
   * Counts probe round trips during which a topic delivered nothing although it had undelivered
   * messages older than the probe, and the longest pause of a backlogged topic.
   */
  synchronized String starvation(IntPredicate probe, int topics, long endNs) {
    List<Delivery> probes = of(probe).stream().filter(p -> p.arrivedNs() < endNs).toList();
    long starved = 0;
    long behind = 0;
    long longestRun = 0;
    long pauseNs = 0;
    long missedNs = 0;
    for (int topic = 0; topic < topics; topic++) {
      List<Delivery> own = of(topic);
      pauseNs = Math.max(pauseNs, longestPause(own, endNs));
      long run = 0;
      for (Delivery p : probes) {
        long olderByNs =
            own.stream()
                .filter(d -> isOvertaken(d, p))
                .mapToLong(d -> p.sentNs() - d.sentNs())
                .max()
                .orElse(-1);
        if (olderByNs < 0) {
          run = 0;
          continue;
        }
        behind++;
        boolean delivered =
            own.stream()
                .anyMatch(d -> d.arrivedNs() >= p.sentNs() && d.arrivedNs() <= p.arrivedNs());
        run = delivered ? 0 : run + 1;
        starved += delivered ? 0 : 1;
        missedNs = delivered ? missedNs : Math.max(missedNs, olderByNs);
        longestRun = Math.max(longestRun, run);
      }
    }
    return String.format(
        Locale.ROOT,
        "round trips x topics: %d, topic behind: %d, of these without any delivery: %d (longest run"
            + " %d, oldest waiting message %d ms); longest pause of a backlogged topic %d ms",
        (long) probes.size() * topics,
        behind,
        starved,
        longestRun,
        ms(missedNs),
        ms(pauseNs));
  }

  /** The longest time between two deliveries while the second one was already waiting. */
  private static long longestPause(List<Delivery> own, long endNs) {
    long longest = 0;
    for (int i = 1; i < own.size(); i++) {
      Delivery d = own.get(i);
      long before = Math.max(own.get(i - 1).arrivedNs(), d.sentNs());
      if (d.arrivedNs() < endNs) {
        longest = Math.max(longest, d.arrivedNs() - before);
      }
    }
    return longest;
  }

  /** Largest inversions of broker sequence numbers and of the publishers' times per topic. */
  synchronized String inversions(int topics) {
    long inverted = 0;
    long largest = 0;
    long largestMs = 0;
    long sentInverted = 0;
    long sentNs = 0;
    long publisherInverted = 0;
    for (int topic = 0; topic < topics; topic++) {
      long top = Long.MIN_VALUE;
      long topSent = Long.MIN_VALUE;
      long topArrived = 0;
      long[] numbers = new long[64];
      for (Delivery d : of(topic)) {
        if (d.sequence() < top) {
          inverted++;
          largest = Math.max(largest, top - d.sequence());
          largestMs = Math.max(largestMs, ms(d.arrivedNs() - topArrived));
        } else {
          top = d.sequence();
          topArrived = d.arrivedNs();
        }
        if (d.sentNs() < topSent) {
          sentInverted++;
          sentNs = Math.max(sentNs, topSent - d.sentNs());
        }
        topSent = Math.max(topSent, d.sentNs());
        publisherInverted += d.number() < numbers[d.publisher()] ? 1 : 0;
        numbers[d.publisher()] = d.number();
      }
    }
    return String.format(
        Locale.ROOT,
        "broker numbers: %d inversions, largest %d (delivered %d ms after the higher number);"
            + " send times: %d inversions, largest %d us; per publisher: %d inversions",
        inverted,
        largest,
        largestMs,
        sentInverted,
        sentNs / 1_000,
        publisherInverted);
  }

  /** Counts deliveries with a broker number below that of a probe delivered before them. */
  synchronized String sequenceOvertaking(IntPredicate probe, int topics, long endNs) {
    long top = Long.MIN_VALUE;
    long late = 0;
    long largest = 0;
    for (Delivery d : deliveries) {
      if (d.arrivedNs() >= endNs) {
        break;
      }
      if (probe.test(d.topic())) {
        top = Math.max(top, d.sequence());
      } else if (d.topic() < topics && d.sequence() < top) {
        late++;
        largest = Math.max(largest, top - d.sequence());
      }
    }
    return late + " messages below the number of an earlier canary, by at most " + largest;
  }

  /** The backlog at a time: messages sent before it and delivered after it. */
  synchronized long backlog(long atNs) {
    return deliveries.stream().filter(d -> d.sentNs() < atNs && d.arrivedNs() > atNs).count();
  }

  private static long ms(long ns) {
    return TimeUnit.NANOSECONDS.toMillis(ns);
  }
}
