package io.sluice.loadtest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The clients that come and go in one run, planned before it begins: they come when they should,
 * not when the gateway has time for them. Each is taken once. For any thread.
 */
final class Visits {
  private final List<Visit> plan;
  private final AtomicInteger taken = new AtomicInteger();

  private Visits(List<Visit> plan) {
    this.plan = plan;
  }

  static Visits none() {
    return new Visits(List.of());
  }

  /** All at one moment. */
  static Visits together(int count, Duration at, Duration stay) {
    List<Visit> plan = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      plan.add(new Visit(i, at, stay));
    }
    return new Visits(plan);
  }

  /**
   * Independent of each other, as people are.
   *
   * @param perSecond on average
   * @param until none comes or stays later than this
   * @param stay on average; each stays between half and one and a half of it
   */
  static Visits random(double perSecond, Duration until, Duration stay, long seed) {
    Random random = new Random(seed);
    List<Visit> plan = new ArrayList<>();
    double at = 0;
    while (true) {
      at -= Math.log(1 - random.nextDouble()) / perSecond;
      if (at >= seconds(until)) {
        return new Visits(plan);
      }
      double stays = Math.min(seconds(stay) * (0.5 + random.nextDouble()), seconds(until) - at);
      plan.add(new Visit(plan.size(), duration(at), duration(stays)));
    }
  }

  /** The next one, in the order in which they come; null if there is none left. */
  Visit next() {
    int index = taken.getAndIncrement();
    return index < plan.size() ? plan.get(index) : null;
  }

  /** How many have been taken. */
  int taken() {
    return Math.min(taken.get(), plan.size());
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  private static Duration duration(double seconds) {
    return Duration.ofMillis(Math.round(seconds * 1000));
  }
}
