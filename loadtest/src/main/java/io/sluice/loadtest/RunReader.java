package io.sluice.loadtest;

import io.sluice.loadtest.report.SteadyState;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.MeasuredRun.Event;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import io.sluice.loadtest.result.MeasuredRun.LoadGeneratorResult;
import io.sluice.loadtest.result.MeasuredRun.Second;
import io.sluice.loadtest.result.Measurement.ClockOffset;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.HdrHistogram.Histogram;

/** Calculation of a run's result from the records of its clients. One thread calls it. */
final class RunReader {
  private static final int DIGITS = 3;
  private static final long NANOS = 1_000_000_000L;
  private static final double MICROS_PER_MILLI = 1000;

  /** Uncertainty without a clock offset: resolution of timestamps in whole milliseconds. */
  private static final double MIN_UNCERTAINTY_MICROS = 1000;

  private final ActiveRun activeRun;
  private final RunTiming timing;
  private final List<ClientStream> clients;

  RunReader(ActiveRun activeRun, RunTiming timing) {
    this.activeRun = activeRun;
    this.timing = timing;
    this.clients = activeRun.clients().stream().filter(ClientStream::hasDisconnected).toList();
  }

  /**
   * Returns the run's result.
   *
   * @param generators counters between two moments in Unix milliseconds, or null
   * @throws CampaignFailure if the figures are invalid
   */
  MeasuredRun read(
      ClockOffset clock, List<GatewaySample> gateway, List<Event> events, LoadReading generators)
      throws CampaignFailure {
    requireSynchronizedClocks(clock);
    int total = (int) timing.run().toSeconds();
    List<Second> timeline = timeline(total);
    int cut = SteadyState.warmUpSeconds(timeline, gateway, total);
    int warmUp = Math.max(cut, (int) timing.warmUp().toSeconds());
    Span span = activeRun.time().span();
    long from = span.fromUnixNanos();
    return new MeasuredRun(
        activeRun.number(),
        activeRun.load(),
        Instant.ofEpochSecond(from / NANOS, from % NANOS),
        warmUp,
        cut >= 0,
        total - warmUp,
        results(warmUp, total),
        activeRun.transientClients().connects(),
        timeline,
        events(events, gateway),
        gateway,
        generators == null
            ? null
            : generators.between(
                (from + warmUp * NANOS) / 1_000_000, span.toUnixNanos() / 1_000_000),
        null);
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
      throw new CampaignFailure(
          "no message was received in the measured seconds; check that the feed is running");
    }
    return results;
  }

  private List<Second> timeline(int total) {
    List<Second> timeline = new ArrayList<>();
    for (int second = 0; second < total; second++) {
      Histogram sum = new Histogram(DIGITS);
      for (ClientStream client : clients) {
        sum.add(client.sinceDue().between(second, second + 1));
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

  private void requireSynchronizedClocks(ClockOffset clock) throws CampaignFailure {
    double uncertainty = clock == null ? MIN_UNCERTAINTY_MICROS : clock.uncertaintyMicros();
    for (ClientStream client : clients) {
      require(client, client.sinceDue().leastMicros(), uncertainty, "due", "publisher");
      require(client, client.sinceBroker().leastMicros(), uncertainty, "at the broker", "broker");
    }
  }

  private void require(
      ClientStream client, long minMicros, double uncertainty, String timestamp, String owner)
      throws CampaignFailure {
    if (minMicros < -uncertainty) {
      throw new CampaignFailure(
          String.format(
              Locale.ROOT,
              "run %d is invalid: client %d (%s) received messages up to %.3f ms before they were"
                  + " %s, which exceeds the clocks' uncertainty of %.3f ms. The clock of the %s is"
                  + " ahead of this machine's: synchronize them (chrony, PTP), or run both here",
              activeRun.number(),
              client.number(),
              client.topic(),
              -minMicros / MICROS_PER_MILLI,
              timestamp,
              uncertainty / MICROS_PER_MILLI,
              owner));
    }
  }

  private List<Event> events(List<Event> others, List<GatewaySample> gateway) {
    List<Event> events = new ArrayList<>(others);
    events.addAll(collections(gateway));
    long from = activeRun.time().span().fromUnixNanos();
    for (ClientStream client : clients) {
      for (long gap : client.gapUnixNanos()) {
        double second = (double) (gap - from) / NANOS;
        events.add(new Event(second, "gap", "client " + client.number() + ", " + client.topic()));
      }
    }
    if (activeRun.transientClients().ended() > 0) {
      double end = timing.run().toSeconds();
      events.add(new Event(end, "visitors", activeRun.transientClients().toText()));
    }
    events.sort(Comparator.comparingDouble(Event::second));
    return events;
  }

  /** Returns garbage collections as events. Collections between two samples form one event. */
  static List<Event> collections(List<GatewaySample> samples) {
    List<Event> events = new ArrayList<>();
    for (int i = 1; i < samples.size(); i++) {
      GatewaySample before = samples.get(i - 1);
      GatewaySample after = samples.get(i);
      long count = after.collections() - before.collections();
      if (count > 0) {
        double millis = (after.collectionSeconds() - before.collectionSeconds()) * 1000;
        String text =
            String.format(
                Locale.ROOT, "%d in the gateway, pauses of %.1f ms in total", count, millis);
        events.add(new Event(after.second(), "collection", text));
      }
    }
    return events;
  }
}
