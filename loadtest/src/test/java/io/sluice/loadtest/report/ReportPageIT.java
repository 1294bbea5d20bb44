package io.sluice.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.Measurement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests a report in a real browser without network access. Screenshots are stored in {@code
 * target/report}.
 */
class ReportPageIT {
  private static final String SCRIPT = Path.of("src", "test", "scripts", "report.mjs").toString();
  private static final int PATIENCE_SECONDS = 600;

  private final Path folder = Path.of("target", "report");

  @Tag("full")
  @Test
  void shouldDrawAllChartsInBothColourSchemes() throws Exception {
    Path page =
        Reports.write(
                Samples.measurement(Samples.run(1, 100, 800, 1), Samples.run(2, 200, 1000, 2)),
                folder)
            .get(0);

    List<JsonNode> schemes = draw(page);

    assertThat(schemes).extracting(scheme -> scheme.get("background").asText()).hasSize(2);
    assertThat(schemes.get(0).get("background")).isNotEqualTo(schemes.get(1).get("background"));
    for (JsonNode scheme : schemes) {
      assertThat(scheme.get("requests")).isEmpty();
      assertThat(scheme.get("errors")).isEmpty();
      assertThat(scheme.get("charts")).hasSize(20).allSatisfy(ReportPageIT::isDrawn);
      JsonNode latency = scheme.at("/charts/0");
      assertThat(latency.get("texts").toString())
          .contains("latency, ms", "messages/s to all clients", "p50", "p99", "p99.9", "2,000");
      assertThat(latency.get("tooltip").asText())
          .isEqualTo("100 clients, 100 topics × 10/s × 512 B: p50 0.817 ± 0.028 ms");
      assertThat(scheme.at("/charts/5/texts").toString()).contains("\"90\",\"99\",\"99.9\"");
      assertThat(scheme.at("/charts/6/texts").toString()).contains("collection", "warm-up");
    }
    assertThat(schemes).extracting(scheme -> scheme.at("/narrow/page").asInt()).containsOnly(360);
    assertThat(schemes.get(0).at("/narrow/verdict"))
        .hasToString("[\"yes\",\"yes\",\"undecided\",\"no\"]");
    assertThat(strokes(schemes.get(0))).contains("rgb(11, 98, 164)", "rgb(185, 60, 11)");
    assertThat(strokes(schemes.get(1))).contains("rgb(108, 182, 245)", "rgb(255, 154, 92)");
  }

  @Tag("full")
  @Test
  void shouldBeginWithTheVerdict() throws Exception {
    MeasuredRun[] runs =
        IntStream.rangeClosed(1, 5)
            .mapToObj(run -> Samples.run(run, 1000, 800, run))
            .toArray(MeasuredRun[]::new);
    Measurement measurement = Samples.limited(Map.of("maxP99", "50"), runs);
    Path page = Reports.write(measurement, folder.resolve("verdict")).get(0);

    for (JsonNode scheme : draw(page)) {
      assertThat(scheme.get("errors")).isEmpty();
      assertThat(scheme.at("/narrow/page").asInt()).isEqualTo(360);
      assertThat(scheme.at("/narrow/verdict")).hasToString("[\"yes\",\"yes\",\"yes\",\"yes\"]");
    }
  }

  private static void isDrawn(JsonNode chart) {
    assertThat(chart.get("width").asDouble()).as("%s", chart).isBetween(300.0, 760.0);
    assertThat(chart.get("printedHeight").asInt()).as("%s", chart).isGreaterThan(100);
    assertThat(chart.get("strokes").size()).as("%s", chart).isGreaterThan(1);
    assertThat(chart.get("texts").size()).as("%s", chart).isGreaterThan(4);
  }

  private static String strokes(JsonNode scheme) {
    return scheme.at("/charts/0/strokes").toString();
  }

  private static List<JsonNode> draw(Path page) throws IOException, InterruptedException {
    Path folder = page.getParent();
    Path output = folder.resolve("output.txt");
    Process node =
        new ProcessBuilder("node", SCRIPT, page.toString(), folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(node.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(node.exitValue()).as(Files.readString(output)).isZero();
    } finally {
      node.destroyForcibly();
    }
    JsonMapper mapper = new JsonMapper();
    try (var values = mapper.readerFor(JsonNode.class).<JsonNode>readValues(output.toFile())) {
      return values.readAll();
    }
  }
}
