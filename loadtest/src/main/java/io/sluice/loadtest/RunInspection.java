package io.sluice.loadtest;

import io.sluice.loadtest.result.MeasuredRun;
import java.util.Map;

/**
 * Run with the checks that it failed. Immutable.
 *
 * @param complaints by name of the failed check
 */
record RunInspection(MeasuredRun run, Map<String, String> complaints) {

  boolean isFlawless() {
    return complaints.isEmpty();
  }
}
