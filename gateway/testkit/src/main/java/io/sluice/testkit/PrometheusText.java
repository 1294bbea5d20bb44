package io.sluice.testkit;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Strict parser of the Prometheus text format. Confined to one thread. */
public final class PrometheusText {
  private static final Pattern META = Pattern.compile("# (HELP|TYPE) ([a-z_:][a-z0-9_:]*) (.+)");
  private static final Pattern SAMPLE =
      Pattern.compile("([a-z_:][a-z0-9_:]*)(?:\\{(.*)})? (NaN|[+-]Inf|[-+0-9.eE]+)");
  private static final Pattern LABEL =
      Pattern.compile("([a-z_][a-z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\",?");
  private static final Set<String> TYPES = Set.of("counter", "gauge", "summary", "histogram");

  private final Map<String, Family> families = new LinkedHashMap<>();
  private Family current;

  /** Metric family; samples are keyed by name and labels as in the text. */
  public record Family(String name, String type, String help, Map<String, Double> samples) {}

  /** Returns all families of a scrape by name; fails at the first invalid line. */
  public static Map<String, Family> read(String text) {
    PrometheusText reader = new PrometheusText();
    require(text.endsWith("\n"), "the last line does not end");
    text.lines().forEach(reader::onLine);
    reader.endFamily();
    return reader.families;
  }

  private void onLine(String line) {
    Matcher meta = META.matcher(line);
    if (meta.matches()) {
      onMeta(meta.group(1), meta.group(2), meta.group(3));
      return;
    }
    Matcher sample = SAMPLE.matcher(line);
    require(sample.matches(), "neither comment nor sample: " + line);
    onSample(line, sample);
  }

  private void onMeta(String kind, String name, String text) {
    if (kind.equals("HELP")) {
      endFamily();
      require(!families.containsKey(name), "second family " + name);
      current = new Family(name, "", text, new LinkedHashMap<>());
      return;
    }
    require(current != null && current.name().equals(name), "TYPE without HELP: " + name);
    require(current.type().isEmpty(), "second TYPE of " + name);
    require(TYPES.contains(text), "type of " + name + " is " + text);
    current = new Family(name, text, current.help(), current.samples());
  }

  private void onSample(String line, Matcher sample) {
    String name = sample.group(1);
    require(current != null && !current.type().isEmpty(), "sample before its family: " + line);
    require(suffixes().contains(name.substring(prefixOf(name))), "foreign sample: " + line);
    String labels = sample.group(2) == null ? "" : sample.group(2);
    requireLabels(line, labels);
    double value = parse(sample.group(3));
    String key = labels.isEmpty() ? name : name + "{" + labels + "}";
    require(current.samples().put(key, value) == null, "second sample " + key);
    require(!current.type().equals("counter") || value >= 0, "counter below zero: " + line);
  }

  private int prefixOf(String name) {
    require(name.startsWith(current.name()), name + " does not belong to " + current.name());
    return current.name().length();
  }

  private List<String> suffixes() {
    return switch (current.type()) {
      case "summary" -> List.of("", "_count", "_sum");
      case "histogram" -> List.of("_bucket", "_count", "_sum");
      default -> List.of("");
    };
  }

  private void endFamily() {
    if (current == null) {
      return;
    }
    require(!current.samples().isEmpty(), "family without samples: " + current.name());
    boolean total = current.name().endsWith("_total");
    require(
        total == current.type().equals("counter"),
        "counters, only they, end in _total: " + current.name());
    families.put(current.name(), current);
    current = null;
  }

  private static void requireLabels(String line, String labels) {
    Matcher label = LABEL.matcher(labels);
    Set<String> names = new HashSet<>();
    int end = 0;
    while (end < labels.length()) {
      require(label.find() && label.start() == end, "malformed labels: " + line);
      require(names.add(label.group(1)), "second label " + label.group(1) + ": " + line);
      end = label.end();
    }
  }

  private static double parse(String value) {
    return switch (value) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(value);
    };
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
