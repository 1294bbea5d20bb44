package io.sluice.gateway.hosts;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Cost and capacity of nodes by the size of the cluster. Immutable.
 *
 * @param rounds some for each size of a cluster from 1 to {@link Site#NODES}
 */
record ScaleFindings(Plan plan, List<ScaleRound> rounds) {
  private static final double EQUAL = 0.1;

  /** Deviation that no noise of a machine explains. */
  private static final double BROKEN = 0.3;

  ScaleFindings {
    rounds = List.copyOf(rounds);
  }

  /**
   * Returns the median over all rounds for each node of a cluster of this size; for size 1, of all
   * nodes.
   */
  private List<Double> ofEach(int size, Function<ScaleRound, List<Double>> figure) {
    List<List<Double>> all =
        rounds.stream().filter(round -> round.size() == size).map(figure).toList();
    return IntStream.range(0, size == 1 ? Site.NODES : size)
        .mapToObj(node -> Median.of(all.stream().map(values -> values.get(node)).toList()))
        .toList();
  }

  /**
   * Divides values by the witness of the same round, because the machine's speed differs between
   * rounds.
   */
  private static List<Double> againstWitness(List<Double> values) {
    double witness = values.get(Site.NODES);
    return values.stream().map(value -> value / witness).toList();
  }

  /** Returns the ratio of each node in a cluster of this size to the same node alone. */
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
    return !rounds.get(0).maxRates().isEmpty();
  }

  /** Returns descriptions of the expectations that are violated regardless of the machine. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    double dearest = ratios(ScaleRound::micros).max().orElseThrow();
    if (dearest > 1 + BROKEN) {
      faults.add(format("a frame costs %.2f times as much with more nodes", dearest));
    }
    double least = isLimited() ? ratios(ScaleRound::maxRates).min().orElseThrow() : 1;
    if (least < 1 - BROKEN) {
      faults.add(format("a node can do %.2f of what it does alone", least));
    }
    return faults;
  }

  /** Returns a table in Markdown and its summary. */
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
      text.append(verdict("Maximum rate", ScaleRound::maxRates));
    }
    return text.toString();
  }

  private String line(int size) {
    String max =
        isLimited()
            ? format(
                " %s | %s |",
                list("%.0f", ofEach(size, ScaleRound::maxRates)),
                list("%.2f", ratios(size, ScaleRound::maxRates).boxed().toList()))
            : "";
    return format(
        "| %d | %d | %s | %s | %s |%s%n",
        size,
        plan.clients(),
        list("%.0f", ofEach(size, ScaleRound::rates)),
        list("%.1f", ofEach(size, ScaleRound::micros)),
        list("%.2f", ratios(size, ScaleRound::micros).boxed().toList()),
        max);
  }

  /** Returns the values of each node by the size of the cluster. */
  String csv() {
    StringBuilder text =
        new StringBuilder("nodes,clients,frames_per_s,us_per_frame,ratio_to_alone");
    text.append(isLimited() ? ",max_frames_per_s,max_ratio_to_alone\n" : "\n");
    IntStream.rangeClosed(1, Site.NODES).forEach(size -> text.append(values(size)));
    return text.toString();
  }

  private String values(int size) {
    List<Double> rates = ofEach(size, ScaleRound::rates);
    List<Double> micros = ofEach(size, ScaleRound::micros);
    List<Double> ratios = ratios(size, ScaleRound::micros).boxed().toList();
    StringBuilder text = new StringBuilder();
    for (int node = 0; node < rates.size(); node++) {
      text.append(
          format(
              "%d,%d,%.0f,%.1f,%.2f",
              size, plan.clients(), rates.get(node), micros.get(node), ratios.get(node)));
      if (isLimited()) {
        double ratio = ratios(size, ScaleRound::maxRates).skip(node).findFirst().orElseThrow();
        text.append(format(",%.0f,%.2f", ofEach(size, ScaleRound::maxRates).get(node), ratio));
      }
      text.append('\n');
    }
    return text.toString();
  }

  private static String list(String format, List<Double> values) {
    return values.stream().map(value -> format(format, value)).collect(Collectors.joining(" · "));
  }

  private String verdict(String what, Function<ScaleRound, List<Double>> figure) {
    double least = ratios(figure).min().orElseThrow();
    double max = ratios(figure).max().orElseThrow();
    boolean equal = least >= 1 - EQUAL && max <= 1 + EQUAL;
    return format(
        "%s in a cluster of two or three nodes is %.2f to %.2f of that alone: %s 10 %%.%n",
        what, least, max, equal ? "equal within" : "**not** equal within");
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
