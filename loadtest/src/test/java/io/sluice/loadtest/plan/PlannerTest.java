package io.sluice.loadtest.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.loadtest.plan.Planner.CapacityTarget;
import io.sluice.loadtest.plan.Planner.NetworkCost;
import io.sluice.loadtest.report.Samples;
import io.sluice.loadtest.result.MachineDescription;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.result.Measurement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlannerTest {
  private static final ClientWorkload WORKLOAD = new ClientWorkload(10, 512, 100);

  /** Objective in milliseconds. The p99 of the samples is about five times their median. */
  private static final double OBJECTIVE = 20;

  private static final double FAST_MICROS = 800;
  private static final double SLOW_MICROS = 20_000;

  /** Series that meets the objective with up to 4,000 clients and violates it with 8,000. */
  private static final Measurement RAMP =
      Samples.measurement(
          run(1000, 10, 512, FAST_MICROS),
          run(2000, 10, 512, FAST_MICROS),
          run(4000, 10, 512, FAST_MICROS),
          run(8000, 10, 512, SLOW_MICROS));

  @Test
  void shouldMatchPublishedFiguresForGivenCapacity() {
    CapacityTarget million =
        new CapacityTarget(
            1_032_000, new ClientWorkload(Double.NaN, Double.NaN, Double.NaN), Double.NaN, 0, 0);

    Plan plan = Planner.stated(24_000, million, new NetworkCost(1000, 1000, 0));

    assertThat(plan.nodes()).isEqualTo(43);
    assertThat(plan.figure(Planner.CONNECTIONS).value()).isEqualTo(43);
    assertThat(plan.figure(Planner.FROM_BROKER).value()).isCloseTo(0.344, within(1e-12));
    assertThat(plan.toMarkdown()).contains("| nodes | 43 |", "| 0.344 Gb/s |", "unknown");
  }

  @Test
  void shouldMatchPublishedBandwidthPerNode() {
    CapacityTarget one = new CapacityTarget(24_000, WORKLOAD, Double.NaN, 0, 0);

    Plan plan = Planner.stated(24_000, one, new NetworkCost(0, 0, 747));

    assertThat(plan.figure(Planner.TO_CLIENTS_OF_NODE).value()).isCloseTo(1.434, within(1e-3));
    assertThat(plan.figure(Planner.FROM_BROKER).value()).isCloseTo(0.004096, within(1e-9));
  }

  @Test
  void shouldAccountForCompression() {
    CapacityTarget one = new CapacityTarget(24_000, WORKLOAD, Double.NaN, 0, 0);

    Plan plan = Planner.stated(24_000, one, new NetworkCost(0, 0, 747, 0.2, 8));

    assertThat(plan.figure(Planner.TO_CLIENTS_OF_NODE).value())
        .isCloseTo(0.2 * 1.434, within(1e-3));
    // 100 topics with 10 messages per second, once per message.
    assertThat(plan.figure(Planner.COMPRESSION).value()).isCloseTo(0.008, within(1e-9));
    assertThat(plan.toMarkdown()).contains("747 B compressed to 20 %", "| 0.008 cores |");
    assertThat(plan.figure(Planner.FROM_BROKER).value()).isCloseTo(0.004096, within(1e-9));
  }

  @Test
  void shouldRequireRateForCpuOfCompression() {
    ClientWorkload unknown = new ClientWorkload(Double.NaN, 512, 100);
    CapacityTarget one = new CapacityTarget(24_000, unknown, Double.NaN, 0, 0);

    Plan plan = Planner.stated(24_000, one, new NetworkCost(0, 0, 747, 0.2, 8));

    assertThat(plan.figure(Planner.COMPRESSION).value()).isNaN();
  }

  @Test
  void shouldUseLargestLoadThatMeetsObjective() {
    Plan plan = plan(100_000, WORKLOAD, RAMP);

    PlannedFigure capacity = plan.figure(Planner.CAPACITY);
    assertThat(capacity.value()).isEqualTo(4000);
    assertThat(capacity.high()).isEqualTo(8000);
    // 100,000 / (4,000 less 30 %) = 35.7 nodes, plus one spare node; with 8,000: 17.9.
    assertThat(plan.nodes()).isEqualTo(37);
    assertThat(plan.figure(Planner.NODES).low()).isEqualTo(19);
    assertThat(plan.figure(Planner.PLANNED).value()).isEqualTo(Math.ceil(100_000 / 36.0));
    assertThat(plan.figure(Planner.FROM_BROKER).value()).isCloseTo(37 * 4.096e-3, within(1e-9));
    assertThat(plan.assumptions()).noneMatch(text -> text.contains("lower bound"));
  }

  @Test
  void shouldPredictUsageWithinMeasuredRange() {
    Plan plan = plan(100_000, WORKLOAD, RAMP);
    double clients = 100_000 / 36.0;

    // The samples use 6 µs of CPU per frame, 200 MB plus 600 B per client, and 24 B per message
    // header.
    PlannedFigure cpu = plan.figure("CPU per node");
    assertThat(cpu.low()).isLessThan(clients * 10 * 6e-6);
    assertThat(cpu.high()).isGreaterThan(clients * 10 * 6e-6);
    assertThat(plan.figure("memory per node").value())
        .isCloseTo(200 + clients * 600 / 1e6, within(1e-6));
    assertThat(plan.figure(Planner.TO_CLIENTS).value())
        .isCloseTo(100_000.0 * 10 * 536 * 8 / 1e9, within(1e-9));
  }

  @Test
  void shouldNotPredictOutsideOfMeasuredRange() {
    Plan plan = plan(500, WORKLOAD, RAMP);

    assertThat(plan.nodes()).isEqualTo(2);
    assertThat(plan.figure("CPU per node").value()).isNaN();
    assertThat(plan.toMarkdown())
        .contains("5,000 frames/s are outside of the measured range, 10,000 to 40,000");
  }

  @Test
  void shouldReportLowerBoundWithoutViolation() {
    Measurement unbroken =
        Samples.measurement(
            run(1000, 10, 512, FAST_MICROS),
            run(2000, 10, 512, FAST_MICROS),
            run(4000, 10, 512, FAST_MICROS));

    Plan plan = plan(100_000, WORKLOAD, unbroken);

    assertThat(plan.nodes()).isEqualTo(37);
    assertThat(plan.figure(Planner.CAPACITY).high()).isNaN();
    assertThat(plan.figure(Planner.NODES).low()).isNaN();
    assertThat(plan.toMarkdown())
        .contains("the capacity is a lower bound", "at least 4,000", "at most 37");
  }

  @Test
  void shouldTreatLossAsViolation() {
    MeasuredRun lossy = run(4000, 10, 512, FAST_MICROS);
    List<ClientResult> clients = new ArrayList<>(lossy.clients());
    ClientResult first = clients.get(0);
    clients.set(
        0,
        new ClientResult(
            0, "t", first.received(), 3, 0, 0, 0, 0, first.sinceDue(), first.sinceBroker()));
    Measurement ramp =
        Samples.measurement(
            run(1000, 10, 512, FAST_MICROS),
            run(2000, 10, 512, FAST_MICROS),
            Samples.with(lossy, clients),
            run(8000, 10, 512, FAST_MICROS));

    Plan plan = plan(100_000, WORKLOAD, ramp);

    assertThat(plan.figure(Planner.CAPACITY).value()).isEqualTo(2000);
    assertThat(plan.toMarkdown()).contains("violated it with 4,000 (3 messages lost");
  }

  @Test
  void shouldRejectObjectiveThatNoLoadMeets() {
    assertThatThrownBy(
            () ->
                Planner.measured(
                    List.of(RAMP),
                    new CapacityTarget(1, WORKLOAD, 0.5, 0.3, 1),
                    NetworkCost.UNSTATED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "p99 below 0.500 ms is not met with the fewest measured clients, 1,000");
  }

  @Test
  void shouldRejectWorkloadWithOneMeasuredNeighbour() {
    Measurement larger = Samples.measurement(run(1000, 10, 1024, FAST_MICROS));

    assertThatThrownBy(() -> plan(1000, new ClientWorkload(10, 2048, 100), RAMP, larger))
        .hasMessage(
            "neither 100 topics × 10/s × 2,048 B was measured, nor both neighbours that differ in"
                + " only one of the three figures; measured: 100 topics × 10/s × 512 B; 100 topics"
                + " × 10/s × 1,024 B");
    assertThatThrownBy(() -> plan(1000, new ClientWorkload(10, 512, 200), RAMP))
        .hasMessageContaining("neither 200 topics");
  }

  @Test
  void shouldPlanBetweenTwoSizesWithTheWorse() {
    Measurement larger =
        Samples.measurement(
            run(1000, 10, 1024, FAST_MICROS),
            run(1500, 10, 1024, FAST_MICROS),
            run(3000, 10, 1024, FAST_MICROS),
            run(6000, 10, 1024, SLOW_MICROS));

    Plan plan = plan(100_000, new ClientWorkload(10, 800, 100), RAMP, larger);

    assertThat(plan.figure(Planner.CAPACITY).value()).isEqualTo(3000);
    assertThat(plan.figure(Planner.CAPACITY).high()).isEqualTo(8000);
    assertThat(plan.figure(Planner.TO_CLIENTS).value())
        .isCloseTo(100_000.0 * 10 * 824 * 8 / 1e9, within(1e-9));
    assertThat(plan.assumptions()).anyMatch(text -> text.contains("800 B was not measured"));
  }

  @Test
  void shouldPlanBetweenTwoRatesByFrames() {
    Measurement quicker =
        Samples.measurement(
            run(500, 20, 512, FAST_MICROS),
            run(1000, 20, 512, FAST_MICROS),
            run(1500, 20, 512, FAST_MICROS),
            run(3000, 20, 512, SLOW_MICROS));

    Plan plan = plan(100_000, new ClientWorkload(15, 512, 100), RAMP, quicker);

    // 40,000 frames/s met the objective at 10/s, 30,000 at 20/s; 80,000 and 60,000 violated it.
    assertThat(plan.figure(Planner.CAPACITY).value()).isEqualTo(2000);
    assertThat(plan.figure(Planner.CAPACITY).high()).isEqualTo(Math.ceil(80_000 / 15.0));
  }

  @Test
  void shouldRejectInconsistentNeighbours() {
    Measurement larger = Samples.measurement(run(9000, 10, 1024, FAST_MICROS));

    assertThatThrownBy(() -> plan(1000, new ClientWorkload(10, 800, 100), RAMP, larger))
        .hasMessageContaining("are inconsistent: a node serves 9,000 clients");
  }

  @Test
  void shouldRejectMeasurementsOfDifferentMachines() {
    Measurement elsewhere =
        new Measurement(
            1,
            "Ramp",
            RAMP.startedAt(),
            "",
            RAMP.parameters(),
            new MachineDescription("Other", "", 64, 1),
            RAMP.versions(),
            null,
            RAMP.runs());

    assertThatThrownBy(() -> plan(1000, WORKLOAD, RAMP, elsewhere))
        .hasMessageContaining("different machines or versions cannot be combined");
  }

  @Test
  void shouldRejectSingleClientOfSingleRun() {
    MeasuredRun run = run(1000, 10, 512, FAST_MICROS);
    MeasuredRun single = Samples.with(run, run.clients().subList(0, 1));

    assertThatThrownBy(() -> plan(1000, WORKLOAD, Samples.measurement(single)))
        .hasMessageContaining("the step with 1,000 clients has one measured client and one run");
  }

  @Test
  void shouldPlanNodesWithoutPredictionsFromFewSteps() {
    Measurement two =
        Samples.measurement(run(1000, 10, 512, FAST_MICROS), run(2000, 10, 512, FAST_MICROS));

    Plan plan = plan(10_000, WORKLOAD, two);

    assertThat(plan.nodes()).isEqualTo(9);
    assertThat(plan.figure("memory per node").basis()).startsWith("requires at least three runs");
  }

  private static Plan plan(long clients, ClientWorkload workload, Measurement... measurements) {
    CapacityTarget target = new CapacityTarget(clients, workload, OBJECTIVE, 0.3, 1);
    return Planner.measured(List.of(measurements), target, NetworkCost.UNSTATED);
  }

  private static MeasuredRun run(int clients, double rate, int bytes, double medianMicros) {
    return Samples.run(1, new LoadProfile(clients, 30, 100, rate, bytes), medianMicros, 6, clients);
  }
}
