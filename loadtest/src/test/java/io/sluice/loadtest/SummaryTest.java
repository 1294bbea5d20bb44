package io.sluice.loadtest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import io.sluice.loadtest.result.MeasuredRun.LoadGeneratorResult;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import java.time.Instant;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class SummaryTest {
  private static final LoadProfile LOAD = new LoadProfile(102, 2, 10, 5, 64);

  @Test
  void shouldPrintFiguresInNamedUnits() {
    String text =
        Summary.of(
                run(
                    List.of(client(0, 1000), client(1, 3000)),
                    latencies(40_000),
                    List.of(sample(0, 1, 0), sample(10, 3, 1000), sample(20, 8, 11_000)),
                    new LoadGeneratorResult(100, 5000, 1, 0, 2, 0, 0.01)))
            .toText();

    assertThat(text)
        .contains("102 clients, 2 of them measured, 10 topics x 5.0/s x 64 B; 10 s after 10 s")
        .contains("14 received, 2 lost, 4 duplicates, 6 out of order")
        .contains("mean 2.000 (0.000 to 14.706)")
        .contains("Too few for their percentiles are the messages of a client, 1: p50 (20), p95")
        .contains("connect to subscribed, ms  p50 40.0")
        .contains("100 clients, 500 frames/s, 2.00 us of CPU per frame, 0 failed, 2 closed")
        .contains("0.50 cores, 1000 frames/s, 500.00 us of CPU per frame, heap 3 MiB");
  }

  @Test
  void shouldOmitMissingFigures() {
    String text = Summary.of(run(List.of(client(0, 1000)), null, List.of(), null)).toText();

    assertThat(text)
        .contains("mean 1.000")
        .doesNotContain("NaN", "  generator", "gateway", "connect");
  }

  private static MeasuredRun run(
      List<ClientResult> clients,
      Latencies connects,
      List<GatewaySample> gateway,
      LoadGeneratorResult crowd) {
    return new MeasuredRun(
        1,
        LOAD,
        Instant.EPOCH,
        10,
        true,
        10,
        clients,
        connects,
        List.of(),
        List.of(),
        gateway,
        crowd,
        null);
  }

  private static ClientResult client(int number, long micros) {
    return new ClientResult(
        number, "stocks.1", 7, 1, 2, 3, 0, 0, latencies(micros), latencies(micros));
  }

  private static Latencies latencies(long micros) {
    // Five digits represent these figures exactly.
    Histogram histogram = new Histogram(5);
    histogram.recordValue(micros);
    return Latencies.of(histogram, 0, micros);
  }

  private static GatewaySample sample(double second, double cpu, long frames) {
    return new GatewaySample(second, cpu, 3 << 20, 0, 102, frames, 0, 0, 0, 0);
  }
}
