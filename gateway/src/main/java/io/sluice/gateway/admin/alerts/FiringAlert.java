package io.sluice.gateway.admin.alerts;

import io.vertx.core.json.JsonObject;
import java.time.OffsetDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Firing alert of a rule of Sluice. Immutable, for any thread.
 *
 * @param severity label of the rule, such as critical; empty without one
 * @param sinceMs time since which its expression is true, Unix milliseconds
 * @param summary annotation of the rule; empty without one, likewise the description
 * @param labels other labels, such as those of the node
 */
record FiringAlert(
    String name,
    String severity,
    long sinceMs,
    String summary,
    String description,
    Map<String, String> labels) {
  /** Beginning of the names of all rules that belong to Sluice. */
  static final String PREFIX = "Sluice";

  private static final String NAME = "alertname";
  private static final String SEVERITY = "severity";
  private static final List<String> SEVERITIES = List.of("critical", "warning");

  /** Order of the severities; alerts of one severity are in the order of their names. */
  static final Comparator<FiringAlert> ORDER =
      Comparator.comparingInt(FiringAlert::rank)
          .thenComparing(FiringAlert::name)
          .thenComparing(alert -> alert.labels.toString());

  /** Returns whether an element of a response is a firing alert of a rule of Sluice. */
  static boolean matches(JsonObject alert) {
    return alert.getString("state").equals("firing")
        && alert.getJsonObject("labels").getString(NAME, "").startsWith(PREFIX);
  }

  /**
   * Returns the alert of an element of a response of {@code /api/v1/alerts}.
   *
   * @throws ClassCastException if a member has another type
   * @throws NullPointerException if a member is missing
   * @throws java.time.DateTimeException if its time is not that of RFC 3339
   */
  static FiringAlert of(JsonObject alert) {
    Map<String, String> labels = new TreeMap<>();
    alert
        .getJsonObject("labels")
        .forEach(each -> labels.put(each.getKey(), (String) each.getValue()));
    JsonObject annotations = alert.getJsonObject("annotations");
    String name = labels.remove(NAME);
    String severity = labels.remove(SEVERITY);
    return new FiringAlert(
        name,
        severity == null ? "" : severity,
        OffsetDateTime.parse(alert.getString("activeAt")).toInstant().toEpochMilli(),
        annotations.getString("summary", ""),
        annotations.getString("description", ""),
        labels);
  }

  private int rank() {
    int known = SEVERITIES.indexOf(severity);
    return known < 0 ? SEVERITIES.size() : known;
  }

  JsonObject json() {
    JsonObject others = new JsonObject();
    labels.forEach(others::put);
    return new JsonObject()
        .put("name", name)
        .put(SEVERITY, severity)
        .put("since", sinceMs)
        .put("summary", summary)
        .put("description", description)
        .put("labels", others);
  }
}
