package io.sluice.loadtest.statistics;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Holm's correction for multiple comparisons. The more hypotheses are tested at once, the more
 * likely a false positive is; each therefore requires a lower p-value. Stateless, for any thread.
 */
public final class Holm {
  private Holm() {}

  /**
   * Returns the p-values of several tests, corrected. Accepting all results with a corrected
   * p-value of at most 5 % yields any false positive in at most 5 % of cases.
   *
   * @return p-values in the same order, from 0 to 1
   * @throws IllegalArgumentException if a p-value is not between 0 and 1
   */
  public static double[] correct(double... pValues) {
    List<Integer> ascending =
        IntStream.range(0, pValues.length)
            .boxed()
            .sorted(Comparator.comparingDouble(i -> pValues[i]))
            .toList();
    double[] corrected = new double[pValues.length];
    double max = 0;
    for (int rank = 0; rank < pValues.length; rank++) {
      double pValue = pValues[ascending.get(rank)];
      if (!(pValue >= 0 && pValue <= 1)) {
        throw new IllegalArgumentException("p-value " + pValue + " is not between 0 and 1");
      }
      max = Math.max(max, Math.min(1, (pValues.length - rank) * pValue));
      corrected[ascending.get(rank)] = max;
    }
    return corrected;
  }
}
