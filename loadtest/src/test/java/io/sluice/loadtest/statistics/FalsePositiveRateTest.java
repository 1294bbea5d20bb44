package io.sluice.loadtest.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.apache.commons.statistics.distribution.BinomialDistribution;
import org.junit.jupiter.api.Test;

/**
 * False-positive rate of synthetic A/A tests. Processes differ from each other more than their runs
 * do, and the machine's conditions drift from block to block.
 */
class FalsePositiveRateTest {
  private static final int TESTS = 4_000;
  private static final int METRICS = 6;
  private static final int BLOCKS = 6;
  private static final double BETWEEN_PROCESSES = 0.15;
  private static final double WITHIN_PROCESS = 0.05;
  private static final double ALPHA = 1 - Intervals.LEVEL;

  private final Random random = new Random(27);

  @Test
  void shouldKeepTheLevelOverBlocksOfRestartedProcesses() {
    assertThat(falsePositives(this::isDifferentOverBlocks)).isLessThanOrEqualTo(limit());
  }

  @Test
  void shouldKeepTheLevelOfOneMetric() {
    int positives = 0;
    for (int i = 0; i < TESTS; i++) {
      double[][] blocks = blocks();
      positives += PairedRatios.pValue(blocks[0], blocks[1]) <= ALPHA ? 1 : 0;
    }

    assertThat(positives).isLessThanOrEqualTo(limit()).isGreaterThan((int) (TESTS * ALPHA / 2));
  }

  @Test
  void shouldExceedTheLevelOverRunsOfOneProcess() {
    // The reason for which runs of one process yield no verdict about further processes.
    assertThat(falsePositives(this::isDifferentOverRuns)).isGreaterThan(TESTS / 4);
  }

  /** Returns the number of false positives that is exceeded by chance in 1 of 1,000 cases. */
  private static int limit() {
    return BinomialDistribution.of(TESTS, ALPHA).inverseSurvivalProbability(0.001);
  }

  private int falsePositives(BooleanSupplier test) {
    int positives = 0;
    for (int i = 0; i < TESTS; i++) {
      positives += test.getAsBoolean() ? 1 : 0;
    }
    return positives;
  }

  private boolean isDifferentOverBlocks() {
    double[] pValues = new double[METRICS];
    for (int metric = 0; metric < METRICS; metric++) {
      double[][] blocks = blocks();
      pValues[metric] = PairedRatios.pValue(blocks[0], blocks[1]);
    }
    return isAnySignificant(pValues);
  }

  private boolean isDifferentOverRuns() {
    double[] pValues = new double[METRICS];
    for (int metric = 0; metric < METRICS; metric++) {
      pValues[metric] = Intervals.pValue(runs(process()), runs(process()));
    }
    return isAnySignificant(pValues);
  }

  private static boolean isAnySignificant(double[] pValues) {
    return Arrays.stream(Holm.correct(pValues)).anyMatch(p -> p <= ALPHA);
  }

  /** Returns both systems' figures: each block has its condition, each run its process. */
  private double[][] blocks() {
    double[][] systems = new double[2][BLOCKS];
    double drift = 1;
    for (int block = 0; block < BLOCKS; block++) {
      drift *= Math.exp(0.3 * random.nextGaussian());
      for (double[] system : systems) {
        system[block] = drift * process() * run();
      }
    }
    return systems;
  }

  private double[] runs(double process) {
    double[] runs = new double[BLOCKS];
    Arrays.setAll(runs, i -> process * run());
    return runs;
  }

  /** Returns the factor of a process; a tenth of processes are slow, such as after a bad start. */
  private double process() {
    double slow = random.nextInt(10) == 0 ? 1.5 : 1;
    return slow * Math.exp(BETWEEN_PROCESSES * random.nextGaussian());
  }

  private double run() {
    return Math.exp(WITHIN_PROCESS * random.nextGaussian());
  }
}
