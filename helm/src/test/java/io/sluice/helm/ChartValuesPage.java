package io.sluice.helm;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Generator of docs/reference/chart-values.md from the chart's values. */
final class ChartValuesPage {
  private static final String GENERAL = "General";
  private static final String HEAD =
      """
      # Chart values

      Values of the Helm chart in [helm/sluice](../../helm/sluice/README.md), by their section in \
      `values.yaml`. [Kubernetes](../operations/kubernetes.md) explains their use.

      A key that does not exist is rejected (`values.schema.json`). Values name secrets and never \
      contain them. `config` contains the [configuration](../CONFIGURATION.md) of the node.
      """;
  private static final String FOOT =
      """

      This page is generated. After a change of `values.yaml`, write it anew with \
      `mvn -pl helm test -Dtest=ValuesTest -Dsluice.docs=write`.
      """;

  private ChartValuesPage() {}

  static String text() {
    StringBuilder page = new StringBuilder(HEAD);
    sections()
        .forEach((name, values) -> page.append("\n## " + name + "\n\n" + ValuesTable.of(values)));
    return page.append(FOOT).toString();
  }

  /** Returns the values by their section; the first section contains those of no section. */
  private static Map<String, List<Values.Value>> sections() {
    Map<String, List<Values.Value>> sections = new LinkedHashMap<>();
    sections.put(GENERAL, List.of());
    sections.putAll(
        Values.all().stream()
            .collect(
                Collectors.groupingBy(
                    ChartValuesPage::section, LinkedHashMap::new, Collectors.toList())));
    return sections;
  }

  private static String section(Values.Value value) {
    int dot = value.path().indexOf('.');
    return dot < 0 ? GENERAL : value.path().substring(0, dot);
  }
}
