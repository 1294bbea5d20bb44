package io.sluice.loadtest.report;

import java.util.ArrayList;
import java.util.List;

/** Percentiles: each further nine takes the same room. Immutable. */
final class TailScale implements Scale {
  private static final int LEAST_NINES = 4;

  private final int nines;

  private TailScale(int nines) {
    this.nines = nines;
  }

  /** An axis for the percentiles of so many messages, at least up to 99.99 %. */
  static TailScale of(long messages) {
    return new TailScale((int) Math.max(LEAST_NINES, Math.ceil(Math.log10(messages))));
  }

  @Override
  public double share(double percentile) {
    double tail = Math.max(1 - percentile / 100, Math.pow(10, -nines));
    return -Math.log10(tail) / nines;
  }

  @Override
  public List<Tick> ticks() {
    List<Tick> ticks = new ArrayList<>();
    ticks.add(new Tick(0, "0"));
    for (int i = 1; i <= nines; i++) {
      double percentile = 100 - Math.pow(10, 2 - i);
      ticks.add(new Tick(percentile, Numbers.decimal(percentile, Math.max(0, i - 2))));
    }
    return ticks;
  }
}
