package io.sluice.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.loadtest.chart.Markup;
import io.sluice.loadtest.result.Latencies;
import io.sluice.loadtest.result.MeasuredRun;
import io.sluice.loadtest.result.MeasuredRun.ClientResult;
import io.sluice.loadtest.result.Measurement;
import io.sluice.loadtest.statistics.ClientTable;
import java.io.StringReader;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

class ReportsTest {
  @TempDir Path folder;

  @Test
  void shouldNameFilesBySimulationAndTime() throws Exception {
    Measurement measurement = Samples.measurement(Samples.run(1, 100, 800, 1));

    List<Path> files = Reports.write(measurement, folder.resolve("new"));

    assertThat(files)
        .extracting(file -> file.getFileName().toString())
        .containsExactly(
            "ticker-20260101-120000.html",
            "ticker-20260101-120000.md",
            "ticker-20260101-120000.json");
    assertThat(Measurement.read(files.get(2))).isEqualTo(measurement);
  }

  @Test
  void shouldMatchPublishedIntervals() throws Exception {
    String markdown = Reports.markdown(Samples.measurement(published()));

    assertThat(markdown)
        .contains("| mean | 3.518 ± 0.350 |")
        .contains("| p95 | 5.967 ± 0.613 |")
        .contains("| p99 | 16.933 ± 1.558 |")
        .contains("mean over 30 clients");
  }

  @Test
  void shouldShowSameFiguresInHtmlAndMarkdown() throws Exception {
    Measurement measurement = Samples.measurement(published());

    assertThat(HtmlReport.of(measurement)).contains("<td>3.518 ± 0.350</td>");
  }

  @Test
  void shouldShowIntervalsOverRunsAndDeviationWithinRuns() {
    Measurement measurement =
        Samples.measurement(Samples.run(1, 100, 800, 1), Samples.run(2, 100, 1000, 2));

    assertThat(Reports.markdown(measurement))
        .contains("Latency since due: mean over 2 runs")
        .contains("standard deviation between runs, ms | between clients of a run, ms")
        .contains("mean over 2 runs\n\n| each run's")
        .contains("share the random conditions of that run")
        .doesNotContain("Load steps");
  }

  @Test
  void shouldShowLoadStepsInOneTable() {
    Measurement measurement =
        Samples.measurement(Samples.run(1, 100, 800, 1), Samples.run(2, 200, 1000, 2));

    assertThat(Reports.markdown(measurement))
        .contains("Load steps")
        .contains("| 200 clients, 100 topics × 10/s × 512 B | 1 |")
        .doesNotContain("over 2 runs");
    assertThat(HtmlReport.of(measurement)).contains("Latency against load");
  }

  @Test
  void shouldReportSingleClientWithoutIntervals() throws Exception {
    MeasuredRun run = Samples.run(1, 100, 800, 1);
    Measurement measurement = Samples.measurement(Samples.with(run, run.clients().subList(0, 1)));

    assertThat(Reports.markdown(measurement))
        .containsPattern("\\| mean \\| [0-9.]+ \\| – \\| – \\|");
    assertThat(charts(HtmlReport.of(measurement)))
        .extracting(chart -> chart.get("series").size())
        .contains(5);
  }

  @Test
  void shouldOmitMissingFigures() {
    MeasuredRun full = Samples.run(1, 100, 800, 1);
    List<ClientResult> clients =
        full.clients().stream()
            .map(client -> Samples.client(client.number(), "t", client.sinceDue(), null))
            .toList();
    MeasuredRun bare =
        new MeasuredRun(
            1,
            full.load(),
            full.from(),
            10,
            false,
            60,
            clients,
            null,
            List.of(),
            List.of(),
            List.of(),
            null,
            null);
    Measurement measurement = Samples.measurement(bare);

    assertThat(Reports.markdown(measurement))
        .contains("without a steady state")
        .doesNotContain("The gateway\n", "since the broker:", "Load generators", "connecting");
    assertThat(HtmlReport.of(measurement)).contains("Steady state: no: still changing after 70 s");
  }

  @Test
  void shouldEscapeMarkup() throws Exception {
    MeasuredRun run = Samples.run(1, 100, 800, 1);
    ClientResult first = run.clients().get(0);
    List<ClientResult> clients = new ArrayList<>(run.clients());
    clients.set(
        0,
        Samples.client(
            0, "<script>alert('x')</script>|&\"", first.sinceDue(), first.sinceBroker()));
    Measurement measurement = Samples.measurement(Samples.with(run, clients));
    Measurement hostile =
        new Measurement(
            measurement.format(),
            "<b>|simulation",
            measurement.startedAt(),
            "```\n</code><script>",
            Map.of("a|<i>", "b\n</td>"),
            measurement.machine(),
            measurement.versions(),
            null,
            measurement.runs());

    String page = HtmlReport.of(hostile);
    assertThat(page).doesNotContain("<script>alert", "<b>|", "<i>", "b\n</td>");
    assertThat(charts(page).toString()).contains("(<script>alert('x')</script>|&\\\"): mean");
    assertThat(Reports.markdown(hostile))
        .startsWith("## &lt;b&gt;\\|simulation")
        .contains("````\n```\n")
        .contains("| a\\|&lt;i&gt; | b &lt;/td&gt; |");
  }

  @Test
  void shouldBeWellFormedAndLoadNoResources() throws Exception {
    String page = HtmlReport.of(Samples.measurement(Samples.run(1, 100, 800, 1)));

    Matcher script = Pattern.compile("(?s)<script>(.*)</script>\\n</body>").matcher(page);
    assertThat(script.find()).isTrue();
    assertThat(script.group(1)).contains("Licensed to the Apache").doesNotContain("</script");
    byte[] hash =
        MessageDigest.getInstance("SHA-256")
            .digest(script.group(1).getBytes(StandardCharsets.UTF_8));
    assertThat(page)
        .contains(
            Markup.escape(
                "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'"
                    .formatted(Base64.getEncoder().encodeToString(hash))));
    page = page.replace(script.group(1), "");
    assertThat(page).doesNotContain("http://", "https://", "<link", "src=", "url(");
    String xml = page.replace("<!doctype html>", "").replaceAll("<script type.*", "");
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(xml)));
    assertThat(Pattern.compile("NaN|Infinity|null").matcher(page).find()).isFalse();
  }

  @Test
  void shouldDrawFiguresOfMeasurement() throws Exception {
    MeasuredRun run = Samples.run(1, 100, 800, 1);

    List<JsonNode> charts = charts(HtmlReport.of(Samples.measurement(run)));

    assertThat(charts).hasSize(8);
    JsonNode tail = charts.get(0).at("/series/0/data");
    assertThat(tail.get(tail.size() - 1).get(0).asDouble()).isEqualTo(18_000);
    assertThat(charts.get(0).at("/xAxis/0/labels/1000").asText()).isEqualTo("99.9");
    JsonNode seconds = charts.get(1);
    assertThat(seconds.at("/legend/data").toString()).isEqualTo("[\"p50\",\"p99\",\"max\"]");
    assertThat(seconds.at("/series/1/data")).hasSize(70);
    assertThat(seconds.at("/series/1/data/20/1").asDouble())
        .isEqualTo(run.timeline().get(20).p99() / 1000.0);
    assertThat(seconds.at("/series/0/markArea/data/0/1/xAxis").asInt()).isEqualTo(10);
    assertThat(seconds.at("/series/3/data")).hasSize(run.events().size());
    assertThat(seconds.at("/yAxis/1/data").toString()).isEqualTo("[\"collection\",\"reconnect\"]");
    JsonNode interval = charts.get(6).at("/series/1/data");
    assertThat(interval.at("/0/name").asText()).isEqualTo("mean 1.052 ± 0.041 ms");
    assertThat(interval.at("/1/value/0").asDouble()).isCloseTo(1.052, within(0.001));
    assertThat(interval.at("/2/value/0").asDouble()).isCloseTo(1.093, within(0.001));
  }

  private static List<JsonNode> charts(String page) throws JsonProcessingException {
    List<JsonNode> charts = new ArrayList<>();
    Matcher options = Pattern.compile("<script type=\"application/json\">(.*)").matcher(page);
    while (options.find()) {
      String json = options.group(1).replaceFirst("</script>$", "");
      charts.add(new JsonMapper().readTree(json));
    }
    return charts;
  }

  @Test
  void shouldWriteInvalidMeasurementWithoutReport() {
    Measurement measurement = Samples.measurement();

    assertThatThrownBy(() -> Reports.write(measurement, folder)).hasMessage("Ticker has no runs");
    assertThat(folder.resolve("ticker-20260101-120000.json")).exists();
    assertThat(folder.resolve("ticker-20260101-120000.html")).doesNotExist();
  }

  /** Returns a run with the published figures of clients; unpublished figures are invented. */
  private static MeasuredRun published() throws Exception {
    ClientTable table = ClientTable.read(resource());
    double[] means = table.column("mean_ms");
    double[] p95 = table.column("p95_ms");
    double[] p99 = table.column("p99_ms");
    Latencies any = Samples.latencies(100, 3000, new Random(1));
    List<ClientResult> clients = new ArrayList<>();
    for (int i = 0; i < means.length; i++) {
      Latencies latencies =
          new Latencies(
              any.count(),
              0,
              any.leastMicros(),
              means[i] * 1000,
              any.p50(),
              Math.round(p95[i] * 1000),
              Math.round(p99[i] * 1000),
              any.p999(),
              any.max(),
              any.histogram());
      clients.add(Samples.client(i, "stocks." + i, latencies, null));
    }
    return Samples.with(Samples.run(1, 24_000, 3000, 1), clients);
  }

  private static Path resource() throws URISyntaxException {
    return Path.of(ReportsTest.class.getResource("/kaazing-table1.csv").toURI());
  }
}
