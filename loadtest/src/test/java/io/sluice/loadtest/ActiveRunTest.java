package io.sluice.loadtest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.Event;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.result.Measurement.ClockOffset;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ActiveRunTest {
  private static final long START = 1_763_700_000_000_000_000L;
  private static final long MILLI = 1_000_000;
  private static final int BYTES = "TS=1763700000000000000 SEQ=5 ".length();
  private static final RunTiming TIMING =
      new RunTiming(
          Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(1));
  private static final ClockOffset CLOCK = new ClockOffset(0, 1500);
  private static final Inspector INSPECTOR =
      new Inspector(new Objectives(Map.of("p99", 3.0)), 0.05);

  private final ActiveRun activeRun =
      new ActiveRun(
          1,
          new LoadProfile(2, 2, 4, 1, BYTES),
          "stocks.",
          ArrivalSchedule.none(),
          List.of(Duration.ZERO, Duration.ZERO));
  private final ClientStream first = activeRun.newMeasuredStream(0, START);
  private final ClientStream second = activeRun.newMeasuredStream(1, START);

  @Test
  void shouldDistributeMeasuredClientsOverTopics() {
    assertThat(first.topic()).isEqualTo("stocks.0");
    assertThat(second.topic()).isEqualTo("stocks.2");
  }

  @Test
  void shouldFindNoViolationsInFaultlessRun() throws CampaignFailure {
    perform(2 * MILLI);

    MeasuredRun run = read();
    assertThat(run.clients()).hasSize(2).allMatch(client -> client.complete());
    assertThat(run.warmUpSeconds()).isEqualTo(1);
    assertThat(run.timeline()).hasSize(3).allMatch(second -> second.messages() == 2);
    assertThat(INSPECTOR.inspect(run, activeRun, 0).violations()).isEmpty();
  }

  @Test
  void shouldReportExceededLimit() throws CampaignFailure {
    perform(4 * MILLI);

    assertThat(INSPECTOR.inspect(read(), activeRun, 0).violations())
        .containsOnlyKeys("p99 within its limit");
  }

  @Test
  void shouldReportLostMessages() throws CampaignFailure {
    first.onText(message(START, 3), START);
    perform(MILLI);

    assertThat(INSPECTOR.inspect(read(), activeRun, 0).violations()).containsKey("loss");
  }

  @Test
  void shouldReportLoadThatDiffersFromProfile() throws CampaignFailure {
    perform(MILLI);
    MeasuredRun run = read();

    assertThat(loadViolation(run, new LoadProfile(2, 2, 4, 2, BYTES))).contains("-Drate");
    assertThat(loadViolation(run, new LoadProfile(2, 2, 4, 1, 512))).contains("-Dsize");
  }

  @Test
  void shouldReportClientsWithoutMessages() throws CampaignFailure {
    perform(MILLI);
    MeasuredRun run = with(read(), new LoadProfile(3, 3, 4, 1, BYTES));

    assertThat(INSPECTOR.inspect(run, activeRun, 0).violations().get("clients"))
        .startsWith("1 received nothing");
  }

  @Test
  void shouldRejectRunWithUnsynchronizedClocks() {
    perform(-2 * MILLI);

    assertThatThrownBy(this::read)
        .hasMessageStartingWith(
            "run 1 is invalid: client 0 (stocks.0) received messages up to 2.000 ms before")
        .hasMessageContaining("synchronize");
  }

  @Test
  void shouldAcceptNegativeLatenciesWithinClockUncertainty() throws CampaignFailure {
    perform(-MILLI);

    assertThat(read().clients().get(0).sinceDue().early()).isEqualTo(2 + 1);
  }

  @Test
  void shouldAssignGapsToTheTopicsClients() {
    activeRun.onControl("{\"type\":\"gap\",\"topic\":\"stocks.2\",\"reason\":\"overload\"}", START);

    assertThat(first.gapUnixNanos()).isEmpty();
    assertThat(second.gapUnixNanos()).containsExactly(START);
  }

  @Test
  void shouldReportClientThatDisconnectsEarly() {
    activeRun.time().begin(new Span(START, START + MILLI));
    first.onSubscribed(START);
    activeRun.onMeasuredDisconnected(first, true, START);
    activeRun.onMeasuredDisconnected(second, false, START + MILLI);

    assertThat(activeRun.failures()).containsExactly("client 0 (stocks.0) received nothing");
    assertThat(activeRun.areAllDisconnected()).isTrue();
  }

  @Test
  void shouldReportGarbageCollectionsAsEvents() {
    List<Event> events =
        RunReader.collections(List.of(sample(0, 4, 0.1), sample(1, 4, 0.1), sample(2, 6, 0.125)));

    assertThat(events)
        .containsExactly(
            new Event(2, "collection", "2 in the gateway, pauses of 25.0 ms in total"));
  }

  private MeasuredRun read() throws CampaignFailure {
    return new RunReader(activeRun, TIMING).read(CLOCK, List.of(), List.of(), null);
  }

  private String loadViolation(MeasuredRun run, LoadProfile stated) {
    return INSPECTOR.inspect(with(run, stated), activeRun, 0).violations().get("load");
  }

  private static MeasuredRun with(MeasuredRun run, LoadProfile load) {
    return new MeasuredRun(
        run.number(),
        load,
        run.from(),
        run.warmUpSeconds(),
        run.steady(),
        run.seconds(),
        run.clients(),
        run.connects(),
        run.timeline(),
        run.events(),
        run.gateway(),
        run.loadGenerators(),
        null);
  }

  /** Sends each client one message per second with a given latency. */
  private void perform(long latencyNanos) {
    activeRun.time().begin(new Span(START, START + TIMING.run().toNanos()));
    for (ClientStream stream : activeRun.clients()) {
      stream.onSubscribed(START);
      for (int i = 0; i <= 3; i++) {
        long now = START + i * 1000 * MILLI;
        stream.onText(message(now - latencyNanos, i + 5), now);
      }
      activeRun.onMeasuredDisconnected(stream, false, START + TIMING.run().toNanos());
    }
  }

  private static String message(long unixNanos, long sequence) {
    return "{\"type\":\"message\",\"topic\":\"stocks.0\",\"offset\":1,\"id\":\"0\",\"time\":"
        + (START / MILLI - 1)
        + ",\"payload\":\"TS="
        + unixNanos
        + " SEQ="
        + sequence
        + " \"}";
  }

  private static GatewaySample sample(double second, long collections, double pauses) {
    return new GatewaySample(second, 0, 0, 0, 0, 0, 0, 0, collections, pauses);
  }
}
