package io.sluice.gateway;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Extent of parameterized tests: by default one case of each kind, with the profile {@code full}
 * all cases. Stateless.
 */
public final class TestScope {
  private TestScope() {}

  /**
   * Returns the cases to run.
   *
   * @param byDefault number of the cases, from the first one, that run without the profile
   */
  @SafeVarargs
  public static <T> Stream<T> cases(int byDefault, T... all) {
    boolean isFull = Boolean.getBoolean("sluice.full");
    List<T> cases = new ArrayList<>();
    for (T each : all) {
      if (isFull || cases.size() < byDefault) {
        cases.add(each);
      }
    }
    return cases.stream();
  }
}
