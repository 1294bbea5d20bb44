package io.sluice.gateway.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cluster.ClusterCounts;
import io.sluice.gateway.link.LinkLag;
import io.sluice.gateway.link.LinkMeters;
import io.sluice.gateway.membership.ClusterMeters;
import io.sluice.gateway.multicast.GroupMeters;
import io.sluice.gateway.presence.PresenceMeters;
import io.sluice.testkit.PrometheusText;
import io.sluice.testkit.PrometheusText.Family;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Compares the list of metrics in docs/operations/metrics.md with a scrape. */
class OperationsDocTest {
  private static final Path DOC = Path.of("..", "docs", "operations", "metrics.md");
  private static final String BEGIN = "<!-- metrics: kept equal to the code by a test -->\n";
  private static final String END = "<!-- metrics end -->";
  private static final Pattern LABEL_NAME = Pattern.compile("([a-z]+)=\"");

  @Test
  void shouldListEveryMetric() throws IOException {
    String doc = Files.readString(DOC, UTF_8);

    if ("write".equals(System.getProperty("sluice.docs"))) {
      int begin = doc.indexOf(BEGIN) + BEGIN.length();
      doc = doc.substring(0, begin) + expectedList() + doc.substring(doc.indexOf(END));
      Files.writeString(DOC, doc, UTF_8);
    }

    String list = doc.substring(doc.indexOf(BEGIN) + BEGIN.length(), doc.indexOf(END));

    assertThat(list).isEqualTo(expectedList());
  }

  @Test
  void shouldHaveTheTypesThatThePageDerivesFromNamesAndTags() {
    assertThat(families())
        .allSatisfy(family -> assertThat(family.type()).as(family.name()).isEqualTo(type(family)));
  }

  private static String type(Family family) {
    if (family.name().endsWith("_total")) {
      return "counter";
    }
    return tags(family).contains("le") ? "histogram" : "gauge";
  }

  private static String expectedList() {
    return families().stream().map(OperationsDocTest::line).collect(Collectors.joining());
  }

  private static List<Family> families() {
    try (Exposition exposition = new Exposition("doc");
        GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none())) {
      metrics.brokerConnected("jms", false);
      metrics.latencyRecorder();
      metrics.journalSyncRecorder();
      metrics.lagRecorder(0);
      new PresenceMeters(metrics.meters());
      new LinkMeters(metrics.meters()).add("node", true, new LinkLag());
      new GroupMeters(metrics.meters());
      new ClusterMeters(
          metrics.meters(),
          List::of,
          () -> new ClusterCounts(0, 0, 0, 0, 0, 0),
          () -> 0,
          () -> false,
          () -> 0,
          () -> 0);
      Map<String, Family> families =
          PrometheusText.read(new String(exposition.scrape(ScrapeFormat.PROMETHEUS), UTF_8));
      return families.values().stream()
          .filter(family -> family.name().startsWith("sluice_"))
          .sorted(Comparator.comparing(Family::name))
          .toList();
    }
  }

  private static String line(Family family) {
    Set<String> tags = tags(family);
    String names = tags.isEmpty() ? "" : "{" + String.join(", ", tags) + "}";
    return "- `%s%s`: %s\n".formatted(family.name(), names, family.help());
  }

  private static Set<String> tags(Family family) {
    Set<String> tags = new TreeSet<>();
    for (String sample : family.samples().keySet()) {
      Matcher label = LABEL_NAME.matcher(sample);
      while (label.find()) {
        tags.add(label.group(1));
      }
    }
    return tags;
  }
}
