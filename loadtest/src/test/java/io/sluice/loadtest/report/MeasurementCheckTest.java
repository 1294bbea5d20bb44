package io.sluice.loadtest.report;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MeasurementCheckTest {
  private static final Latencies GOOD = Samples.latencies(100, 1000, new Random(1));

  @Test
  void shouldAcceptNegativeLatencyWithinClockUncertainty() {
    // The clock uncertainty of the samples is 1.2 ms.
    assertThatCode(() -> check(least(GOOD, -1200), GOOD)).doesNotThrowAnyException();
  }

  @Test
  void shouldRejectNegativeLatency() {
    assertThatThrownBy(() -> check(least(GOOD, -1201), GOOD))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "run 4, client 7 (stocks.7): 3 messages have a latency since due below 0, down to"
                + " -1.201 ms, which exceeds the clocks' uncertainty of 1.200 ms");
    assertThatThrownBy(() -> check(GOOD, least(GOOD, -5000)))
        .hasMessageContaining("since the broker below 0, down to -5.000 ms");
  }

  @Test
  void shouldRejectClientWithoutMessages() {
    Latencies empty = new Latencies(0, 0, 0, 0, 0, 0, 0, 0, 0, GOOD.histogram());

    assertThatThrownBy(() -> check(empty, GOOD))
        .hasMessage(
            "run 4, client 7 (stocks.7): no latencies since due: no message was received in"
                + " the measured seconds");
    assertThatThrownBy(() -> check(null, GOOD)).hasMessageContaining("no latencies since due");
  }

  @Test
  void shouldRejectClientWithoutBrokerLatencies() {
    assertThatThrownBy(() -> check(GOOD, null))
        .hasMessageStartingWith("run 4, client 7 (stocks.7): no latencies since the broker");
  }

  @Test
  void shouldRejectInvalidHistogram() {
    Latencies broken = new Latencies(100, 0, 1, 1, 1, 1, 1, 1, 1, "x");
    Latencies other = new Latencies(101, 0, 1, 1, 1, 1, 1, 1, 1, GOOD.histogram());

    assertThatThrownBy(() -> check(broken, GOOD))
        .hasMessage(
            "run 4, client 7 (stocks.7): since due: invalid histogram: expected HdrHistogram's"
                + " compressed encoding in base64");
    assertThatThrownBy(() -> check(other, GOOD))
        .hasMessageContaining("since due contains 100 messages instead of 101");
  }

  @Test
  void shouldRejectMeasurementWithoutRunsOrClients() {
    MeasuredRun run = Samples.run(4, 100, 800, 1);

    assertThatThrownBy(() -> MeasurementCheck.check(Samples.measurement()))
        .hasMessage("Ticker has no runs");
    assertThatThrownBy(
            () -> MeasurementCheck.check(Samples.measurement(Samples.with(run, List.of()))))
        .hasMessage("run 4 has no measured clients");
  }

  private static void check(Latencies sent, Latencies broker) {
    MeasuredRun run = Samples.run(4, 100, 800, 1);
    List<ClientResult> clients = new ArrayList<>(run.clients());
    clients.set(7, new ClientResult(7, "stocks.7", 1, 0, 0, 0, 0, 0, sent, broker));
    MeasurementCheck.check(Samples.measurement(Samples.with(run, clients)));
  }

  private static Latencies least(Latencies latencies, long leastMicros) {
    return new Latencies(
        latencies.count(),
        3,
        leastMicros,
        latencies.mean(),
        latencies.p50(),
        latencies.p95(),
        latencies.p99(),
        latencies.p999(),
        latencies.max(),
        latencies.histogram());
  }
}
