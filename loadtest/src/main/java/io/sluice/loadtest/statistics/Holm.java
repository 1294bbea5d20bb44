package io.sluice.loadtest.statistics;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Holm's correction: of several questions that are asked at once, one is the more likely to be
 * answered wrongly by chance, so that each has to be answered the more surely.
 */
public final class Holm {
  private Holm() {}

  /**
   * Corrects the probabilities that chance alone explains each of several findings. Taking the
   * findings whose corrected probability is at most 5 % for real is wrong about any of them in at
   * most 5 of a hundred cases.
   *
   * @return in the same order, from 0 to 1
   * @throws IllegalArgumentException if one is no probability
   */
  public static double[] correct(double... chances) {
    List<Integer> rising =
        IntStream.range(0, chances.length)
            .boxed()
            .sorted(Comparator.comparingDouble(i -> chances[i]))
            .toList();
    double[] corrected = new double[chances.length];
    double least = 0;
    for (int rank = 0; rank < chances.length; rank++) {
      double chance = chances[rising.get(rank)];
      if (!(chance >= 0 && chance <= 1)) {
        throw new IllegalArgumentException("no probability: " + chance);
      }
      least = Math.max(least, Math.min(1, (chances.length - rank) * chance));
      corrected[rising.get(rank)] = least;
    }
    return corrected;
  }
}
