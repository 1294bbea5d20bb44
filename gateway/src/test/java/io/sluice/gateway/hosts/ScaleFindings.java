package io.sluice.gateway.hosts;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * What nodes have cost and could do, by how many they were. Immutable.
 *
 * @param rounds with each number of nodes from 1 to {@link Site#NODES}, some of them
 */
record ScaleFindings(Plan plan, List<ScaleRound> rounds) {
  private static final double EQUAL = 0.1;

  /** What no noise of a machine explains. */
  private static final double BROKEN = 0.3;

  ScaleFindings {
    rounds = List.copyOf(rounds);
  }

  /** Of each node of so many, the middle one of all rounds. */
  private List<Double> ofEach(int nodes, Function<ScaleRound, List<Double>> figure) {
    List<List<Double>> all =
        rounds.stream().filter(round -> round.nodes() == nodes).map(figure).toList();
    return IntStream.range(0, all.get(0).size())
        .mapToObj(node -> Median.of(all.stream().map(values -> values.get(node)).toList()))
        .toList();
  }

  /** Of each node of so many, held against the one that was alone. */
  private DoubleStream ratios(int nodes, Function<ScaleRound, List<Double>> figure) {
    double alone = ofEach(1, figure).get(0);
    return ofEach(nodes, figure).stream().mapToDouble(value -> value / alone);
  }

  private DoubleStream ratios(Function<ScaleRound, List<Double>> figure) {
    return IntStream.rangeClosed(2, Site.NODES)
        .mapToObj(nodes -> ratios(nodes, figure))
        .flatMapToDouble(Function.identity());
  }

  private boolean isLimited() {
    return !rounds.get(0).most().isEmpty();
  }

  /** What is not as it should be whatever the machine is, in words. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    double dearest = ratios(ScaleRound::micros).max().orElseThrow();
    if (dearest > 1 + BROKEN) {
      faults.add(format("a frame costs %.2f times as much with more nodes", dearest));
    }
    double least = isLimited() ? ratios(ScaleRound::most).min().orElseThrow() : 1;
    if (least < 1 - BROKEN) {
      faults.add(format("a node can do %.2f of what it does alone", least));
    }
    return faults;
  }

  /** A table in Markdown, and what follows from it. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append("| nodes | clients of each | frames a second of each | CPU a frame of each, µs |");
    text.append(" to one node |");
    text.append(isLimited() ? " most frames a second of each | to one node |" : "");
    text.append("\n|---|---|---|---|---|").append(isLimited() ? "---|---|" : "").append('\n');
    IntStream.rangeClosed(1, Site.NODES).forEach(nodes -> text.append(line(nodes)));
    text.append('\n').append(verdict("CPU a frame", ScaleRound::micros));
    if (isLimited()) {
      text.append(verdict("What a node can do", ScaleRound::most));
    }
    return text.toString();
  }

  private String line(int nodes) {
    String most =
        isLimited()
            ? format(
                " %s | %s |",
                list("%.0f", ofEach(nodes, ScaleRound::most)),
                list("%.2f", ratios(nodes, ScaleRound::most).boxed().toList()))
            : "";
    return format(
        "| %d | %d | %s | %s | %s |%s%n",
        nodes,
        plan.clients(),
        list("%.0f", ofEach(nodes, ScaleRound::rates)),
        list("%.1f", ofEach(nodes, ScaleRound::micros)),
        list("%.2f", ratios(nodes, ScaleRound::micros).boxed().toList()),
        most);
  }

  private static String list(String format, List<Double> values) {
    return values.stream().map(value -> format(format, value)).collect(Collectors.joining(" · "));
  }

  private String verdict(String what, Function<ScaleRound, List<Double>> figure) {
    double least = ratios(figure).min().orElseThrow();
    double most = ratios(figure).max().orElseThrow();
    boolean equal = least >= 1 - EQUAL && most <= 1 + EQUAL;
    return format(
        "%s with two and three nodes is %.2f to %.2f of that with one: %s 10 %%.%n",
        what, least, most, equal ? "equal within" : "**not** equal within");
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
