package io.sluice.loadtest.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClusterPlannerTest {
  private static final long MILLION = 1_000_000;

  /** Runs of nodes whose CPU follows the model exactly. */
  private static final NodeModel MODEL = NodeModel.of("runs", RecordedRun.of(nodes()));

  private final Map<PlanInput, Double> given = new EnumMap<>(PlanInput.class);

  @Test
  void shouldPlanByCpu() {
    // 0.02 cores, 50 µs per message and 5 µs per frame, of 2.4 usable cores.
    ClusterPlan plan = plan();

    assertThat(plan.capacity()).isCloseTo((2.4 - 0.02 - 0.05) / 10 / 5e-6, within(2.0));
    assertThat(plan.limit()).isEqualTo(NodeDemand.Resource.CPU);
    assertThat(plan.nodes()).isEqualTo(Math.ceil(MILLION / plan.capacity()) + 1);
    assertThat(plan.spareNodes()).isEqualTo(1);
    assertThat(plan.isSufficient()).isTrue();
    assertThat(plan.toMarkdown())
        .startsWith("**Verdict:** 23 nodes serve 1,000,000 clients; CPU limits a node to 46,")
        .contains("| messages per client | 10 /s | default | `--rate` |")
        .contains("| CPU of a handshake | 100 µs | measured | `--handshake-micros` |");
  }

  @Test
  void shouldChargeTls() {
    double plain = plan().nodes();
    ClusterPlan tls = ClusterPlanner.plan(MODEL, MILLION, true, given);

    // 8 µs per frame instead of 5,.
    assertThat(tls.nodes()).isEqualTo(Math.ceil(MILLION / tls.capacity()) + 1).isGreaterThan(plain);
    assertThat(tls.capacity()).isCloseTo((2.4 - 0.02 - 0.05) / 10 / 8e-6, within(2.0));
    assertThat(tls.toMarkdown())
        .contains("| CPU of a handshake | 1,000 µs | default, not measured |");
  }

  @Test
  void shouldLimitNodesByEachResource() {
    given.put(PlanInput.CONNECTIONS, 1_000.0);
    assertThat(plan().limit()).isEqualTo(NodeDemand.Resource.CONNECTIONS);
    assertThat(plan().nodes()).isEqualTo(1_001);
    given.put(PlanInput.MEMORY, 0.44);
    assertThat(plan().limit()).isEqualTo(NodeDemand.Resource.MEMORY);
    given.put(PlanInput.NETWORK, 0.01);
    assertThat(plan().limit()).isEqualTo(NodeDemand.Resource.NETWORK);
    // 6 Mb/s for ten messages per second of 536 and 70 B.
    assertThat(plan().capacity()).isEqualTo(Math.floor(6e6 / (10 * 606 * 8)));
  }

  @Test
  void shouldServeAllClientsWithoutOneSite() {
    given.put(PlanInput.SITES, 3.0);
    ClusterPlan plan = plan();

    double required = Math.ceil(MILLION / plan.capacity());
    assertThat(plan.nodes()).isEqualTo(3 * Math.ceil(required / 2));
    Storm site = plan.storms().get(1);
    assertThat(site.event()).isEqualTo("a site");
    assertThat(site.clients()).isCloseTo(MILLION / 3.0, within(1e-6));
    assertThat(site.isSurvived()).isTrue();
  }

  @Test
  void shouldCalculateTimeOfStorm() {
    given.put(PlanInput.SITES, 2.0);
    given.put(PlanInput.HANDSHAKES, 500.0);
    ClusterPlan plan = plan();
    Storm site = plan.storms().get(1);
    double perNode = MILLION / plan.nodes();

    assertThat(site.rate()).isEqualTo(500);
    assertThat(site.seconds()).isCloseTo(50 + perNode / 500, within(1e-9));
    assertThat(site.caughtUp()).isGreaterThanOrEqualTo(site.seconds());
    assertThat(site.cores()).isGreaterThan(site.coresAfter()).isLessThanOrEqualTo(0.95 * 4 + 1e-9);
  }

  @Test
  void shouldReduceHandshakesThatExceedTheCpu() {
    given.put(PlanInput.HANDSHAKES, 1e6);
    Storm node = plan().storms().get(0);

    double free = 4 * 0.95 - (0.02 + 0.05 + node.clientsPerNode() * 10 * 5e-6);
    assertThat(node.rate()).isCloseTo(free / 100e-6, within(2.0));
  }

  @Test
  void shouldReportOverloadWithoutSpareNode() {
    given.put(PlanInput.SPARE, 0.0);
    ClusterPlan plan = plan();

    assertThat(plan.isSufficient()).isFalse();
    assertThat(plan.toMarkdown())
        .contains("do not suffice for 1,000,000 clients")
        .contains("After the loss of a node, the other nodes are overloaded.");
  }

  @Test
  void shouldReportInsufficientBroker() {
    given.put(PlanInput.BROKER_CORES, 0.2);
    ClusterPlan plan = plan();

    // 1,000 messages per second to each node, 50 µs each.
    assertThat(plan.broker().cores()).isCloseTo(plan.nodes() * 0.05, within(1e-9));
    assertThat(plan.isSufficient()).isFalse();
    assertThat(plan.toMarkdown()).contains("The broker needs 1.15 cores and has 0.12");
  }

  @Test
  void shouldReportExtrapolationAndCost() {
    given.put(PlanInput.PRICE, 0.5);
    ClusterPlan plan = plan();

    assertThat(plan.costPerHour()).isEqualTo(11.5);
    assertThat(plan.toMarkdown())
        .contains("an extrapolation to verify")
        .contains("| price per month of 730 hours | 8,395 |");
  }

  @Test
  void shouldUseGivenCpuInsteadOfModel() {
    given.put(PlanInput.FRAME_MICROS, 10.0);

    assertThat(plan().capacity()).isEqualTo(24_000);
    assertThat(plan().toMarkdown())
        .contains("| CPU of a frame | 10 µs | given | `--frame-micros` |");
  }

  @Test
  void shouldNameInvalidInput() {
    assertInvalid(PlanInput.HEADROOM, 96, "--headroom 96: must be at least 0 and at most 95");
    assertInvalid(PlanInput.SPARE, -1, "--spare -1: must be at least 0");
    assertInvalid(PlanInput.SITES, 1.5, "--sites 1.50: must be a whole number");
    assertInvalid(PlanInput.CORES, 0, "--cores 0: must be above 0");
    assertInvalid(PlanInput.CORES, 0.01, "a node cannot serve one client: CPU does not suffice");
    assertInvalid(PlanInput.COMPRESSED, 101, "--compressed 101: must be above 0 and at most 100");
  }

  @Test
  void shouldRequireHeldOutRuns() {
    List<RecordedRun> fitted =
        RecordedRun.of(nodes()).stream().filter(run -> !run.heldOut()).toList();

    assertThatThrownBy(() -> NodeModel.of("runs", fitted))
        .hasMessage("runs: no held-out run; expected at least one for the validation");
  }

  @Test
  void shouldAddCompressionAndMentionOtherPayloads() {
    given.put(PlanInput.COMPRESSED, 20.0);
    given.put(PlanInput.COMPRESSION_MICROS, 100.0);
    given.put(PlanInput.PAYLOAD, 4096.0);
    ClusterPlan plan = plan();

    // 1,000 messages per second, 100 µs each.
    assertThat(plan.capacity()).isCloseTo((2.4 - 0.02 - 0.05 - 0.1) / 10 / 5e-6, within(2.0));
    assertThat(plan.toMarkdown()).contains("The CPU of this payload was not measured.");
  }

  private void assertInvalid(PlanInput input, double value, String message) {
    given.clear();
    given.put(input, value);
    assertThatThrownBy(this::plan)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  private ClusterPlan plan() {
    return ClusterPlanner.plan(MODEL, MILLION, false, given);
  }

  private static RunTable nodes() {
    List<String> lines = new ArrayList<>();
    lines.add("use,series,mode,topics,rate,bytes,clients,frames_per_s,node_cores");
    for (String use : new String[] {"fit", "held-out"}) {
      for (int clients : new int[] {500, 2000, 8000}) {
        for (int rate : new int[] {2, 10}) {
          for (int bytes : new int[] {128, 2048}) {
            lines.add(node(use, "plain", rate, bytes, clients));
            lines.add(node(use, "tls", rate, bytes, clients));
          }
        }
      }
    }
    return new RunTable("nodes", lines);
  }

  private static String node(String use, String mode, int rate, int bytes, int clients) {
    double frames = clients * rate;
    double micros = mode.equals("tls") ? 8 : 5;
    double cores = 0.02 + 100 * rate * 50e-6 + frames * micros / 1e6;
    return String.format(
        Locale.ROOT,
        "%s,series,%s,100,%d,%d,%d,%.0f,%.9f",
        use,
        mode,
        rate,
        bytes,
        clients,
        frames,
        cores);
  }
}
