package io.sluice.cluster;

/**
 * Invalid value in a {@link ClusterConfig}. Immutable, for any thread.
 *
 * @param key of the setting
 * @param what the problem
 * @param expected allowed values
 */
public record ClusterProblem(String key, String what, String expected) {
  @Override
  public String toString() {
    return key + ": " + what + "; expected " + expected;
  }
}
