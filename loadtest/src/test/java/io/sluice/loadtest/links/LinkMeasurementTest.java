package io.sluice.loadtest.links;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinkMeasurementTest {
  private static final LinkFigures.Percentiles ROOT = new LinkFigures.Percentiles(1, 2);
  private static final LinkFigures.Percentiles ADDED = new LinkFigures.Percentiles(0.25, 0.5);

  private static LinkRun run(boolean multicast, int number, double messages) {
    return new LinkRun(
        LinkScenario.ONE_BRIDGE,
        multicast,
        1000,
        2,
        number,
        messages,
        0.9,
        List.of(30.0, 10.0),
        List.of(ROOT, new LinkFigures.Percentiles(1.2, 2.4)),
        List.of(new LinkFigures.Percentiles(0, 0), ADDED));
  }

  private static LinkMeasurement measurement() {
    Duration second = Duration.ofSeconds(1);
    LinkPlan plan =
        new LinkPlan(
            Path.of("sluice"),
            true,
            List.of(LinkScenario.ONE_BRIDGE),
            List.of(1000),
            List.of(2),
            1000,
            0,
            second,
            second,
            second,
            2);
    return new LinkMeasurement(
        plan,
        List.of(run(false, 1, 10_000), run(false, 2, 10_010), run(true, 1, 20_000)),
        List.of());
  }

  @Test
  void shouldPrintMeansWithIntervalsBesideThePaper() {
    List<String> lines = measurement().toText().lines().toList();
    assertThat(lines.get(4).replaceAll(" +", " "))
        .isEqualTo(
            "| 1000 × 2 | 10005 ± 64 | 10.0 ± 0.1 | 45 MB/s | 90 ± 0 | 30.0 ± 0.0 | 10.0 ± 0.0"
                + " | 1.00 ± 0.00 | 2.00 ± 0.00 | 0.25 ± 0.00 | 0.50 ± 0.00 |");
    assertThat(lines.get(5)).startsWith("| 1000 × 2, multicast | ").contains(" 20000 |");
  }

  @Test
  void shouldWriteEachRunAndNoFiguresOfAbsentTiers() {
    assertThat(measurement().toCsv().lines().skip(1))
        .containsExactly(
            "one-bridge,tcp,1000,2,1,10000,10.00,0.90,30.0,1.000,2.000,0.000,0.000,,,,,,10.0,1.200,"
                + "2.400,0.250,0.500",
            "one-bridge,tcp,1000,2,2,10010,10.01,0.90,30.0,1.000,2.000,0.000,0.000,,,,,,10.0,1.200,"
                + "2.400,0.250,0.500",
            "one-bridge,multicast,1000,2,1,20000,20.00,0.90,30.0,1.000,2.000,0.000,0.000,,,,,,10.0,"
                + "1.200,2.400,0.250,0.500");
  }

  @Test
  void shouldDrawThroughputBesideThePaper() {
    assertThat(measurement().toHtml())
        .contains("one-bridge: publisher", "1000 B", "1000 B, multicast", "paper 45");
  }
}
