package io.sluice.cluster;

/**
 * One thing that is wrong with a {@link ClusterConfig}. Immutable, for any thread.
 *
 * @param key the setting's
 * @param what what is wrong
 * @param expected what would be right
 */
public record ClusterProblem(String key, String what, String expected) {
  @Override
  public String toString() {
    return key + ": " + what + "; expected " + expected;
  }
}
