package io.sluice.loadtest.report;

import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.MachineDescription;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.MeasuredRun.Event;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import io.sluice.loadtest.result.MeasuredRun.LoadGeneratorResult;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.result.MeasuredRun.Second;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.result.Measurement.ClockOffset;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** Generator of realistic measurements, reproducible by seed. */
public final class Samples {
  public static final int WARM_UP_SECONDS = 10;
  public static final int SECONDS = 60;
  private static final Instant START = Instant.parse("2026-01-01T12:00:00Z");
  private static final int MESSAGES_A_CLIENT = 600;

  private Samples() {}

  /** Returns a measurement of these runs. */
  public static Measurement measurement(MeasuredRun... runs) {
    return new Measurement(
        Measurement.FORMAT,
        "Ticker",
        START,
        "mvn -pl loadtest gatling:test -Dclients=2000",
        Map.of("clients", "2000", "encoding", "bin"),
        new MachineDescription("Linux 6.18", "Some processor", 2, 8L << 30),
        Map.of("gateway", "0.1.0", "java", "25"),
        new ClockOffset(12.5, 1200),
        List.of(runs));
  }

  /** Returns a measurement with limits of latencies, by the names of their parameters. */
  public static Measurement limited(Map<String, String> limits, MeasuredRun... runs) {
    Measurement measurement = measurement(runs);
    Map<String, String> parameters = new HashMap<>(measurement.parameters());
    parameters.putAll(limits);
    return new Measurement(
        measurement.format(),
        measurement.simulation(),
        measurement.startedAt(),
        measurement.command(),
        parameters,
        measurement.machine(),
        measurement.versions(),
        measurement.clock(),
        measurement.runs());
  }

  /**
   * Returns a run with a total number of clients, ten messages per second each, and a median
   * latency.
   */
  public static MeasuredRun run(int number, int clients, double medianMicros, long seed) {
    return run(number, new LoadProfile(clients, 30, 100, 10, 512), medianMicros, 6, seed);
  }

  /** Returns a run with a CPU time of the gateway per frame, in microseconds. */
  public static MeasuredRun run(
      int number, LoadProfile load, double medianMicros, double microsPerFrame, long seed) {
    Random random = new Random(seed);
    return new MeasuredRun(
        number,
        load,
        START.plusSeconds(number * 100L),
        WARM_UP_SECONDS,
        true,
        SECONDS,
        clients(load.measured(), medianMicros, random),
        latencies(load.clients(), 20_000, random),
        timeline(load, medianMicros, random),
        events(random),
        gateway(load, microsPerFrame, random),
        new LoadGeneratorResult(
            load.clients() - load.measured(), 1_000_000, 600_000_000L, 0, 0, 0, 1.5),
        null);
  }

  /** Returns a copy of a run with other clients. */
  public static MeasuredRun with(MeasuredRun run, List<ClientResult> clients) {
    return new MeasuredRun(
        run.number(),
        run.load(),
        run.from(),
        run.warmUpSeconds(),
        run.steady(),
        run.seconds(),
        clients,
        run.connects(),
        run.timeline(),
        run.events(),
        run.gateway(),
        run.loadGenerators(),
        null);
  }

  /**
   * Returns a client that received all messages, with these latencies since the due time and since
   * the broker.
   */
  public static ClientResult client(int number, String topic, Latencies sent, Latencies broker) {
    return new ClientResult(number, topic, sent.count(), 0, 0, 0, 0, 0, sent, broker);
  }

  /** Returns latencies around a median in microseconds, with a long tail. */
  public static Latencies latencies(int count, double medianMicros, Random random) {
    Histogram histogram = new Histogram(3);
    long least = Long.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      long micros = (long) (medianMicros * Math.exp(0.6 * random.nextGaussian()));
      micros *= random.nextInt(150) == 0 ? 12 : 1;
      least = Math.min(least, micros);
      histogram.recordValue(micros);
    }
    return Latencies.of(histogram, 0, least);
  }

  private static List<ClientResult> clients(int count, double medianMicros, Random random) {
    List<ClientResult> clients = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      double median = medianMicros * (0.85 + 0.3 * random.nextDouble());
      clients.add(
          client(
              i,
              "stocks." + i,
              latencies(MESSAGES_A_CLIENT, median, random),
              latencies(MESSAGES_A_CLIENT, median * 0.8, random)));
    }
    return clients;
  }

  private static List<Second> timeline(LoadProfile load, double medianMicros, Random random) {
    return IntStream.range(0, WARM_UP_SECONDS + SECONDS)
        .mapToObj(second -> second(second, load, medianMicros, random))
        .toList();
  }

  private static Second second(int second, LoadProfile load, double medianMicros, Random random) {
    double slow = 1 + 6 * Math.exp(-second / 3.0);
    double[] micros =
        IntStream.range(0, 300)
            .mapToDouble(i -> slow * medianMicros * Math.exp(0.6 * random.nextGaussian()))
            .sorted()
            .toArray();
    double mean = Arrays.stream(micros).average().orElse(0);
    long messages = (long) (load.measured() * load.rate());
    return new Second(
        second, messages, mean, (long) micros[150], (long) micros[297], (long) micros[299]);
  }

  private static List<Event> events(Random random) {
    List<Event> events = new ArrayList<>();
    for (int i = 3; i < WARM_UP_SECONDS + SECONDS; i += 7) {
      events.add(new Event(i + random.nextDouble(), "collection", "4.2 ms"));
    }
    events.add(new Event(42.5, "reconnect", "client 7 (stocks.7)"));
    return events;
  }

  private static List<GatewaySample> gateway(
      LoadProfile load, double microsPerFrame, Random random) {
    List<GatewaySample> samples = new ArrayList<>();
    double cpu = 3;
    long frames = 0;
    long framesASecond = (long) (load.clients() * load.rate());
    for (int second = 0; second <= WARM_UP_SECONDS + SECONDS; second++) {
      samples.add(
          new GatewaySample(
              second,
              cpu,
              40_000_000L + (second % 7) * 6_000_000L,
              200_000_000L + load.clients() * 600L,
              load.clients(),
              frames,
              frames * (load.payloadBytes() + 24L),
              1000L * second,
              second / 7,
              second / 7 * 0.0042));
      cpu += framesASecond * microsPerFrame * (0.95 + 0.1 * random.nextDouble()) / 1e6;
      frames += framesASecond;
    }
    return samples;
  }
}
