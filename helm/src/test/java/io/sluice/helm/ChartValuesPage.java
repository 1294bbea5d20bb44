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

      Values of the [Helm chart](../../helm/sluice/README.md), one line each with the \
      default in parentheses; \
      [values.yaml](../../helm/sluice/values.yaml) and `helm show values helm/sluice` have the whole \
      comments. [Kubernetes](../operations/kubernetes.md) explains their use.

      Unknown keys are rejected (`values.schema.json`). Values name secrets and never contain them. \
      `config` is the [configuration](../CONFIGURATION.md) of the node.
      """;
  private static final String FOOT =
      """

      Generated: `mvn -pl helm test -Dtest=ValuesTest -Dsluice.docs=write`.
      """;

  private ChartValuesPage() {}

  static String text() {
    StringBuilder page = new StringBuilder(HEAD);
    sections()
        .forEach((name, values) -> page.append("\n## " + name + "\n\n" + ValuesList.of(values)));
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
