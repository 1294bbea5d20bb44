package io.sluice.loadtest.result;

/**
 * Process that a run measured, and position of the run in an A/B test. Immutable, for any thread.
 *
 * @param experiment name of the A/B test; empty for other runs
 * @param system name of the system in the A/B test; empty for other runs
 * @param block number of the block, from 1; 0 for other runs
 * @param position position of the run in its block, from 1; 0 for other runs
 * @param restarted whether the system was started for this run
 * @param process identity of the gateway's process; empty if unknown
 */
public record RunOrigin(
    String experiment, String system, int block, int position, boolean restarted, String process) {

  /** Returns the origin of a run outside of an A/B test. */
  public static RunOrigin of(String process) {
    return new RunOrigin("", "", 0, 0, false, process);
  }

  /** Returns whether the run belongs to a block of an A/B test. */
  public boolean blocked() {
    return block > 0;
  }
}
