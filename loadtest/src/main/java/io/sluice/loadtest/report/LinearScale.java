package io.sluice.loadtest.report;

import java.util.ArrayList;
import java.util.List;

/** From 0 to a round number, in even steps. Immutable. */
final class LinearScale implements Scale {
  private static final int MOST_STEPS = 6;
  private static final double ROOM = 1.04;

  private final double end;
  private final double step;
  private final int steps;

  private LinearScale(double step, int steps) {
    this.step = step;
    this.steps = steps;
    this.end = step * steps;
  }

  /** An axis that holds {@code most}, with some room above it. */
  static LinearScale to(double most) {
    return holding(most * ROOM);
  }

  private static LinearScale holding(double most) {
    double step = step(most);
    return new LinearScale(step, (int) Math.max(1, Math.ceil(most / step * (1 - 1e-9))));
  }

  /** An axis that ends exactly at {@code most}, as time does. */
  static Scale until(double most) {
    LinearScale round = holding(most);
    double length = Math.max(most, 1e-9);
    return new Scale() {
      @Override
      public double share(double value) {
        return Math.min(Math.max(value / length, 0), 1);
      }

      @Override
      public List<Tick> ticks() {
        return round.ticks().stream().filter(tick -> tick.value() <= length).toList();
      }
    };
  }

  private static double step(double most) {
    if (!(most > 0)) {
      return 1;
    }
    double power = Math.pow(10, Math.floor(Math.log10(most / MOST_STEPS)));
    for (double factor : new double[] {1, 2, 5}) {
      if (most / (factor * power) <= MOST_STEPS) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  @Override
  public double share(double value) {
    return Math.min(Math.max(value / end, 0), 1);
  }

  @Override
  public List<Tick> ticks() {
    List<Tick> ticks = new ArrayList<>();
    int decimals = (int) Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    for (int i = 0; i <= steps; i++) {
      ticks.add(new Tick(i * step, Numbers.decimal(i * step, decimals)));
    }
    return ticks;
  }
}
