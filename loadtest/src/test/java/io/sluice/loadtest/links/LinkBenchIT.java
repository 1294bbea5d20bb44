package io.sluice.loadtest.links;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Short benchmarks with real processes. They verify that all messages arrive and are timed, not
 * performance.
 */
@Timeout(600)
class LinkBenchIT {
  private static final Path LAUNCHER = Path.of("..", "gateway", "bin", "sluice");

  private static LinkPlan plan(LinkScenario scenario, int peers) {
    return plan(LAUNCHER.toAbsolutePath().normalize(), scenario, peers);
  }

  private static LinkPlan plan(Path launcher, LinkScenario scenario, int peers) {
    return new LinkPlan(
        launcher,
        scenario == LinkScenario.ONE_TO_N,
        List.of(scenario),
        List.of(100),
        List.of(peers),
        200,
        0,
        Duration.ofMillis(200),
        Duration.ofMillis(500),
        Duration.ofMinutes(1),
        1);
  }

  @Test
  void shouldMeasureEachTierOfTwoBridges() throws Exception {
    List<String> progress = new ArrayList<>();

    LinkMeasurement measurement =
        new LinkBench(plan(LinkScenario.TWO_BRIDGES, 2), progress::add).run();

    assertThat(progress)
        .hasSize(2)
        .last()
        .asString()
        .startsWith("two-bridges by tcp, 2 peers, 100 B");
    List<String> lines = measurement.toCsv().lines().toList();
    assertThat(lines).hasSize(2);
    String[] figures = lines.get(1).split(",", -1);
    assertThat(figures).hasSameSizeAs(lines.get(0).split(",")).doesNotContain("");
    assertThat(Double.parseDouble(figures[5])).as("messages/s").isPositive();
    assertThat(Double.parseDouble(figures[9])).as("latency at the root").isPositive();
  }

  @Test
  void shouldNameAProcessThatDoesNotStart() throws Exception {
    LinkPlan broken = plan(Path.of("/bin/false"), LinkScenario.ONE_BRIDGE, 1);

    LinkMeasurement measurement = new LinkBench(broken, line -> {}).run();

    assertThat(measurement.failures())
        .containsExactly("one-bridge, 1 peers: the process 'broker' ended: it printed nothing");
    assertThat(measurement.toCsv().lines()).hasSize(1);
    assertThat(measurement.toHtml()).contains("one-bridge");
  }

  @Tag("full")
  @Test
  void shouldServeALeafPerSubscriberAndSeveralPublishers() throws Exception {
    for (LinkScenario scenario : List.of(LinkScenario.ONE_TO_N, LinkScenario.N_TO_1)) {
      LinkMeasurement measurement = new LinkBench(plan(scenario, 3), line -> {}).run();

      assertThat(measurement.failures()).isEmpty();
      assertThat(measurement.toCsv().lines().skip(1))
          .first()
          .asString()
          .startsWith(scenario + ",tcp,100,3,1,");
      assertThat(measurement.toCsv().lines().filter(line -> line.contains(",multicast,100,3,1,")))
          .hasSize(scenario == LinkScenario.ONE_TO_N ? 1 : 0);
    }
  }
}
