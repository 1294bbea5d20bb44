package io.sluice.loadtest;

import io.sluice.loadtest.result.Run;
import java.util.Map;

/**
 * A run, and what is wrong with it. Immutable.
 *
 * @param complaints by the name of what was looked at; what was in order is not here
 */
record Finding(Run run, Map<String, String> complaints) {

  boolean isFlawless() {
    return complaints.isEmpty();
  }
}
