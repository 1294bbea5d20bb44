package io.sluice.loadtest;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.MeasuredRun.Event;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import io.sluice.loadtest.result.MeasuredRun.LoadGeneratorResult;
import io.sluice.loadtest.result.MeasuredRun.Second;
import io.sluice.loadtest.result.Measurement.ClockOffset;
import io.sluice.loadtest.statistics.WarmUpDetector;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.HdrHistogram.Histogram;

/** Turns what the clients of a stage wrote down into the figures of a run. One thread calls it. */
final class RunReader {
  private static final int DIGITS = 3;
  private static final long NANOS = 1_000_000_000L;
  private static final double MICROS_PER_MILLI = 1000;

  /** Without the gateway's answer: what whole milliseconds cost. */
  private static final double LEAST_UNCERTAINTY_MICROS = 1000;

  private final ActiveRun stage;
  private final RunTiming timing;
  private final List<ClientStream> clients;

  RunReader(ActiveRun stage, RunTiming timing) {
    this.stage = stage;
    this.timing = timing;
    this.clients = stage.clients().stream().filter(ClientStream::hasLeft).toList();
  }

  /**
   * Reads all of it.
   *
   * @param generators counters between two moments in Unix milliseconds; null if there is none
   * @throws CampaignFailure if the figures would mean nothing
   */
  MeasuredRun read(
      ClockOffset clock, List<GatewaySample> gateway, List<Event> events, LoadReading generators)
      throws CampaignFailure {
    requireSoundClocks(clock);
    int total = (int) timing.run().toSeconds();
    List<Second> timeline = timeline(total);
    int cut = WarmUpDetector.length(means(timeline, total));
    int warmUp = Math.max(cut, (int) timing.warmUp().toSeconds());
    Span span = stage.time().span();
    long from = span.fromUnixNanos();
    return new MeasuredRun(
        stage.number(),
        stage.load(),
        Instant.ofEpochSecond(from / NANOS, from % NANOS),
        warmUp,
        cut >= 0,
        total - warmUp,
        results(warmUp, total),
        stage.visitors().connects(),
        timeline,
        events(events, gateway),
        gateway,
        generators == null
            ? null
            : generators.between(
                (from + warmUp * NANOS) / 1_000_000, span.toUnixNanos() / 1_000_000));
  }

  /** Counters of the load generators between two moments. */
  interface LoadReading {
    LoadGeneratorResult between(long fromUnixMillis, long toUnixMillis);
  }

  private List<ClientResult> results(int from, int to) throws CampaignFailure {
    List<ClientResult> results =
        clients.stream()
            .map(client -> client.result(from, to))
            .filter(Objects::nonNull)
            .sorted(Comparator.comparingInt(ClientResult::number))
            .toList();
    if (results.isEmpty()) {
      throw new CampaignFailure("no message came in the seconds that count: has the feed ended?");
    }
    return results;
  }

  private List<Second> timeline(int total) {
    List<Second> timeline = new ArrayList<>();
    for (int second = 0; second < total; second++) {
      Histogram sum = new Histogram(DIGITS);
      for (ClientStream client : clients) {
        sum.add(client.sinceSent().between(second, second + 1));
      }
      timeline.add(
          new Second(
              second,
              sum.getTotalCount(),
              sum.getMean(),
              sum.getValueAtPercentile(50),
              sum.getValueAtPercentile(99),
              sum.getMaxValue()));
    }
    return timeline;
  }

  private static double[] means(List<Second> timeline, int total) {
    double[] means = new double[total];
    for (Second second : timeline) {
      means[second.second()] = second.messages() == 0 ? Double.NaN : second.mean();
    }
    return means;
  }

  private void requireSoundClocks(ClockOffset clock) throws CampaignFailure {
    double uncertainty = clock == null ? LEAST_UNCERTAINTY_MICROS : clock.uncertaintyMicros();
    for (ClientStream client : clients) {
      require(client, client.sinceSent().leastMicros(), uncertainty, "sent", "publisher");
      require(client, client.sinceBroker().leastMicros(), uncertainty, "at the broker", "broker");
    }
  }

  private void require(
      ClientStream client, long leastMicros, double uncertainty, String what, String whose)
      throws CampaignFailure {
    if (leastMicros < -uncertainty) {
      throw new CampaignFailure(
          String.format(
              Locale.ROOT,
              "run %d is refused: client %d (%s) received messages up to %.3f ms before they were"
                  + " %s, and the clocks are known to within %.3f ms only. The clock of the %s is"
                  + " ahead of this machine's: synchronise them (chrony, PTP), or run both here",
              stage.number(),
              client.number(),
              client.topic(),
              -leastMicros / MICROS_PER_MILLI,
              what,
              uncertainty / MICROS_PER_MILLI,
              whose));
    }
  }

  private List<Event> events(List<Event> others, List<GatewaySample> gateway) {
    List<Event> events = new ArrayList<>(others);
    events.addAll(collections(gateway));
    long from = stage.time().span().fromUnixNanos();
    for (ClientStream client : clients) {
      for (long gap : client.gapUnixNanos()) {
        double second = (double) (gap - from) / NANOS;
        events.add(new Event(second, "gap", "client " + client.number() + ", " + client.topic()));
      }
    }
    if (stage.visitors().came() > 0) {
      double end = timing.run().toSeconds();
      events.add(new Event(end, "visitors", stage.visitors().toText()));
    }
    events.sort(Comparator.comparingDouble(Event::second));
    return events;
  }

  /** Between two samples there may have been several; they are told together. */
  static List<Event> collections(List<GatewaySample> samples) {
    List<Event> events = new ArrayList<>();
    for (int i = 1; i < samples.size(); i++) {
      GatewaySample before = samples.get(i - 1);
      GatewaySample after = samples.get(i);
      long count = after.collections() - before.collections();
      if (count > 0) {
        double millis = (after.collectionSeconds() - before.collectionSeconds()) * 1000;
        String text =
            String.format(Locale.ROOT, "%d of the gateway, pauses of %.1f ms", count, millis);
        events.add(new Event(after.second(), "collection", text));
      }
    }
    return events;
  }
}
