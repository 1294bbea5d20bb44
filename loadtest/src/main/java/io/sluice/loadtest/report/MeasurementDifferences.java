package io.sluice.loadtest.report;

import io.sluice.loadtest.result.MeasuredRun.LoadProfile;
import io.sluice.loadtest.result.Measurement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/** Differences between two measurements, one line each. Stateless, for any thread. */
final class MeasurementDifferences {
  private static final String ABSENT = "none";

  private MeasurementDifferences() {}

  /** Returns the differences of simulation and loads. */
  static List<String> loads(
      Measurement baseline, List<LoadStep> before, Measurement candidate, List<LoadStep> after) {
    List<String> lines = new ArrayList<>();
    add(lines, "simulation", baseline.simulation(), candidate.simulation());
    for (int i = 0; i < before.size(); i++) {
      LoadProfile a = before.get(i).load();
      LoadProfile b = after.get(i).load();
      String step = before.size() == 1 ? "" : "step " + (i + 1) + ": ";
      add(lines, step + "clients", a.clients(), b.clients());
      add(lines, step + "measured clients", a.measured(), b.measured());
      add(lines, step + "topics", a.topics(), b.topics());
      add(lines, step + "messages/s per topic", a.rate(), b.rate());
      add(lines, step + "payload, B", a.payloadBytes(), b.payloadBytes());
    }
    return lines;
  }

  /** Returns the differences of machine, versions and parameters. */
  static List<String> circumstances(Measurement baseline, Measurement candidate) {
    List<String> lines = new ArrayList<>();
    add(lines, "machine", baseline.machine(), candidate.machine());
    add(lines, "version of ", baseline.versions(), candidate.versions());
    add(lines, "parameter ", baseline.parameters(), candidate.parameters());
    return lines;
  }

  private static void add(
      List<String> lines, String kind, Map<String, String> a, Map<String, String> b) {
    TreeSet<String> names = new TreeSet<>(a.keySet());
    names.addAll(b.keySet());
    for (String name : names) {
      add(lines, kind + name, a.getOrDefault(name, ABSENT), b.getOrDefault(name, ABSENT));
    }
  }

  private static void add(List<String> lines, String name, Object a, Object b) {
    if (!Objects.equals(a, b)) {
      lines.add(name + ": baseline " + a + ", candidate " + b);
    }
  }
}
