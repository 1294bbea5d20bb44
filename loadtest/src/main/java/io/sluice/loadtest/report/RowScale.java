package io.sluice.loadtest.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Named rows from top to bottom; row i has its middle at the value i. Immutable.
 *
 * @param names of the rows
 */
record RowScale(List<String> names) implements Scale {
  @Override
  public double share(double value) {
    return 1 - (value + 0.5) / names.size();
  }

  @Override
  public List<Tick> ticks() {
    List<Tick> ticks = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      ticks.add(new Tick(i, names.get(i)));
    }
    return ticks;
  }
}
