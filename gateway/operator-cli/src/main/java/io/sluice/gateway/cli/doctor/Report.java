package io.sluice.gateway.cli.doctor;

import io.sluice.gateway.cli.doctor.Finding.Verdict;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Formatter of a {@link Doctor}'s findings as text and JSON. Stateless, for any thread. */
public final class Report {
  private static final String INDENT = "         ";

  private Report() {}

  /** Returns the findings with their reasons, followed by the remedies by place. */
  public static List<String> lines(Doctor doctor) {
    List<String> lines = new ArrayList<>();
    lines.add("This machine for " + Figures.count(doctor.clients()) + " clients:");
    lines.add("");
    doctor.findings().forEach(finding -> add(lines, finding));
    doctor.findings().stream()
        .map(Finding::remedy)
        .filter(remedy -> !remedy.line().isEmpty())
        .collect(Collectors.groupingBy(Remedy::place, Collectors.toList()))
        .entrySet()
        .stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(entry -> add(lines, entry.getKey(), entry.getValue()));
    lines.add("");
    lines.add(
        "%d to change, %d unknown, %d fine"
            .formatted(
                doctor.count(Verdict.CHANGE),
                doctor.count(Verdict.UNKNOWN),
                doctor.count(Verdict.OK)));
    return lines;
  }

  private static void add(List<String> lines, Finding finding) {
    String verdict = "%-7s  ".formatted(word(finding));
    String wanted = finding.wanted().isEmpty() ? "" : "; wanted: " + finding.wanted();
    lines.add(verdict + finding.check() + ": " + finding.found() + wanted);
    if (!finding.why().isEmpty()) {
      lines.add(INDENT + "(" + finding.why() + ")");
    }
  }

  private static void add(List<String> lines, String place, List<Remedy> remedies) {
    lines.add("");
    lines.add("For " + place + (place.equals(Remedy.SYSCTL) ? ", read by sysctl --system:" : ":"));
    Remedy.lines(remedies).forEach(line -> lines.add("  " + line));
  }

  private static String word(Finding finding) {
    return finding.verdict().name().toLowerCase(Locale.ROOT);
  }

  /** Returns the findings as an object; empty members are omitted. */
  public static JsonObject json(Doctor doctor) {
    JsonArray findings = new JsonArray();
    doctor.findings().forEach(finding -> findings.add(json(finding)));
    return new JsonObject().put("clients", doctor.clients()).put("findings", findings);
  }

  private static JsonObject json(Finding finding) {
    JsonObject json =
        new JsonObject()
            .put("check", finding.check())
            .put("verdict", word(finding))
            .put("found", finding.found());
    put(json, "wanted", finding.wanted());
    put(json, "why", finding.why());
    put(json, "place", finding.remedy().place());
    put(json, "line", finding.remedy().line());
    return json;
  }

  private static void put(JsonObject json, String name, String text) {
    if (!text.isEmpty()) {
      json.put(name, text);
    }
  }
}
