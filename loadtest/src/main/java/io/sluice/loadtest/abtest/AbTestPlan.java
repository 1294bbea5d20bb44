package io.sluice.loadtest.abtest;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;

/**
 * Parameters of an A/B test. Immutable, for any thread.
 *
 * @param a baseline
 * @param b candidate; the same system as {@code a} with another name for an A/A test
 * @param blocks number of blocks; each contains one run of both systems
 * @param seed of the order within blocks and of the positions of measured clients
 * @param load parameters of the load, by their names in the simulation {@code Ticker}
 * @param startTimeout time limit for the start of a system
 * @param stopTimeout time limit for its end, after which it is killed
 * @param folder for measurements and the systems' output
 * @param command command line that repeats the test
 */
public record AbTestPlan(
    SystemUnderTest a,
    SystemUnderTest b,
    int blocks,
    long seed,
    Properties load,
    Duration startTimeout,
    Duration stopTimeout,
    Path folder,
    String command) {

  /** Returns whether both systems are the same one. */
  public boolean isSameSystem() {
    return a.named(b.name()).equals(b);
  }
}
