package io.sluice.gateway.stock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Outcome of a public suite: cases with the reason why each has failed. Bound to one thread. */
final class Suite {
  /** By case; empty if it has passed. */
  private final Map<String, String> reasons = new LinkedHashMap<>();

  void passed(String name) {
    reasons.putIfAbsent(name, "");
  }

  void failed(String name, String reason) {
    reasons.put(name, name + ": " + reason);
  }

  /**
   * Requires a number of passed cases, and that only cases that are declined have failed.
   *
   * @param declined cases with the reason, which docs/reference/open-protocols.md lists
   */
  void assertPassed(int passed, Map<String, String> declined) {
    List<String> failed = new ArrayList<>();
    reasons.forEach(
        (name, reason) -> {
          if (!reason.isEmpty() && !declined.containsKey(name)) {
            failed.add(reason);
          }
        });
    assertThat(failed).as("failed cases, of %d", reasons.size()).isEmpty();
    assertThat(declined.keySet())
        .as("declined cases, all of which fail")
        .allMatch(name -> !reasons.getOrDefault(name, "").isEmpty());
    assertThat(reasons.values().stream().filter(String::isEmpty).count())
        .as("passed cases")
        .isEqualTo(passed);
  }
}
