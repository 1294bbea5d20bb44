package io.sluice.loadtest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Schedule of a run's transient clients, created before it starts. Clients arrive at scheduled
 * times, independent of the gateway's response times. Each is taken once. For any thread.
 */
final class ArrivalSchedule {
  private final List<TransientClient> plan;
  private final AtomicInteger taken = new AtomicInteger();

  private ArrivalSchedule(List<TransientClient> plan) {
    this.plan = plan;
  }

  static ArrivalSchedule none() {
    return new ArrivalSchedule(List.of());
  }

  /** Returns a schedule with simultaneous arrivals. */
  static ArrivalSchedule together(int count, Duration at, Duration stay) {
    List<TransientClient> plan = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      plan.add(new TransientClient(i, at, stay));
    }
    return new ArrivalSchedule(plan);
  }

  /**
   * Returns a schedule with independent, exponentially distributed inter-arrival times.
   *
   * @param perSecond mean arrival rate
   * @param until latest time of an arrival or a departure
   * @param stay mean duration; each client duration between 0.5 and 1.5 times as long
   */
  static ArrivalSchedule random(double perSecond, Duration until, Duration stay, long seed) {
    Random random = new Random(seed);
    List<TransientClient> plan = new ArrayList<>();
    double at = 0;
    while (true) {
      at -= Math.log(1 - random.nextDouble()) / perSecond;
      if (at >= seconds(until)) {
        return new ArrivalSchedule(plan);
      }
      double duration = Math.min(seconds(stay) * (0.5 + random.nextDouble()), seconds(until) - at);
      plan.add(new TransientClient(plan.size(), duration(at), duration(duration)));
    }
  }

  /** Returns the next client in order of arrival, or null. */
  TransientClient next() {
    int index = taken.getAndIncrement();
    return index < plan.size() ? plan.get(index) : null;
  }

  /** Returns the number of clients taken. */
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
