package io.sluice.gateway.hosts;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * What nodes have cost and could do, by how many knew each other. Immutable.
 *
 * @param rounds with each size of a cluster from 1 to {@link Site#NODES}, some of them
 */
record ScaleFindings(Plan plan, List<ScaleRound> rounds) {
  private static final double EQUAL = 0.1;

  /** What no noise of a machine explains. */
  private static final double BROKEN = 0.3;

  ScaleFindings {
    rounds = List.copyOf(rounds);
  }

  /** Of each node of a cluster of that size, the middle one of all rounds; of 1, of all alone. */
  private List<Double> ofEach(int size, Function<ScaleRound, List<Double>> figure) {
    List<List<Double>> all =
        rounds.stream().filter(round -> round.size() == size).map(figure).toList();
    return IntStream.range(0, size == 1 ? Site.NODES : size)
        .mapToObj(node -> Median.of(all.stream().map(values -> values.get(node)).toList()))
        .toList();
  }

  /** Held against the witness of the same round: what the machine does differs between rounds. */
  private static List<Double> againstWitness(List<Double> values) {
    double witness = values.get(Site.NODES);
    return values.stream().map(value -> value / witness).toList();
  }

  /** Of each node of a cluster of that size, held against itself when it was alone. */
  private DoubleStream ratios(int size, Function<ScaleRound, List<Double>> figure) {
    Function<ScaleRound, List<Double>> relative = figure.andThen(ScaleFindings::againstWitness);
    List<Double> alone = ofEach(1, relative);
    List<Double> together = ofEach(size, relative);
    return IntStream.range(0, together.size())
        .mapToDouble(node -> together.get(node) / alone.get(node));
  }

  private DoubleStream ratios(Function<ScaleRound, List<Double>> figure) {
    return IntStream.rangeClosed(2, Site.NODES)
        .mapToObj(size -> ratios(size, figure))
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
    text.append(
        "| nodes in the cluster | clients per node | frames/s per node | CPU per frame, µs |");
    text.append(" ratio to alone |");
    text.append(isLimited() ? " max frames/s per node | ratio to alone |" : "");
    text.append("\n|---|---|---|---|---|").append(isLimited() ? "---|---|" : "").append('\n');
    IntStream.rangeClosed(1, Site.NODES).forEach(size -> text.append(line(size)));
    text.append('\n').append(verdict("CPU per frame", ScaleRound::micros));
    if (isLimited()) {
      text.append(verdict("Maximum rate", ScaleRound::most));
    }
    return text.toString();
  }

  private String line(int size) {
    String most =
        isLimited()
            ? format(
                " %s | %s |",
                list("%.0f", ofEach(size, ScaleRound::most)),
                list("%.2f", ratios(size, ScaleRound::most).boxed().toList()))
            : "";
    return format(
        "| %d | %d | %s | %s | %s |%s%n",
        size,
        plan.clients(),
        list("%.0f", ofEach(size, ScaleRound::rates)),
        list("%.1f", ofEach(size, ScaleRound::micros)),
        list("%.2f", ratios(size, ScaleRound::micros).boxed().toList()),
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
        "%s in a cluster of two or three nodes is %.2f to %.2f of that alone: %s 10 %%.%n",
        what, least, most, equal ? "equal within" : "**not** equal within");
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
