package io.sluice.loadtest.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;

/** Equal ratios are equally far from each other. Immutable. */
final class LogScale implements Scale {
  private static final double[] FACTORS = {1, 2, 5};
  private static final double LEAST_RATIO = 5;
  private static final int MOST_TICKS = 8;

  private final double[] ticks;

  private LogScale(double[] ticks) {
    this.ticks = ticks;
  }

  /** An axis that holds all values above 0; the others stand at its beginning. */
  static LogScale of(DoubleStream values) {
    double[] positive = values.filter(value -> value > 0).sorted().toArray();
    double least = positive.length == 0 ? 1 : positive[0];
    double most = positive.length == 0 ? 1 : positive[positive.length - 1];
    return new LogScale(between(least, Math.max(most, least * LEAST_RATIO)));
  }

  /** From the last round number below the least to the first one above the most. */
  private static double[] between(double least, double most) {
    List<Double> round = new ArrayList<>();
    for (int power = (int) Math.floor(Math.log10(least)) - 1; ; power++) {
      for (double factor : FACTORS) {
        double value = factor * Math.pow(10, power);
        if (!round.isEmpty() && round.get(0) <= least && value <= least * (1 + 1e-9)) {
          round.clear();
        }
        round.add(value);
        if (value >= most * (1 - 1e-9)) {
          return round.stream().mapToDouble(Double::doubleValue).toArray();
        }
      }
    }
  }

  @Override
  public double share(double value) {
    double first = ticks[0];
    double last = ticks[ticks.length - 1];
    double share = Math.log(Math.max(value, first) / first) / Math.log(last / first);
    return Math.min(share, 1);
  }

  @Override
  public List<Tick> ticks() {
    boolean all = ticks.length <= MOST_TICKS;
    return Arrays.stream(ticks)
        .filter(value -> all || isPowerOfTen(value))
        .mapToObj(value -> new Tick(value, label(value)))
        .toList();
  }

  private static boolean isPowerOfTen(double value) {
    double log = Math.log10(value);
    return Math.abs(log - Math.rint(log)) < 1e-9;
  }

  private static String label(double value) {
    int decimals = (int) Math.max(0, -Math.floor(Math.log10(value) + 1e-9));
    return Numbers.decimal(value, decimals);
  }
}
