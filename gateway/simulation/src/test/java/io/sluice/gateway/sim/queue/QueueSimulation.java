package io.sluice.gateway.sim.queue;

import io.sluice.gateway.sim.ErrorLog;
import io.sluice.gateway.sim.Failure;
import java.util.Set;

/** Runner of worlds, one seed after the other. It repeats a failed seed with a trace. */
final class QueueSimulation implements AutoCloseable {
  private static final int TRACE_LINES = 120;

  final QueueTally tally = new QueueTally();

  private final ErrorLog faults = new ErrorLog();
  private final Set<QueueRule> broken;
  private final long eventsASeed;
  private long events;

  /**
   * @param broken rules that are violated
   * @param eventsASeed number of events of one seed after which its faults end
   */
  QueueSimulation(Set<QueueRule> broken, long eventsASeed) {
    this.broken = broken;
    this.eventsASeed = eventsASeed;
  }

  /** Returns the number of events of all runs. */
  long events() {
    return events;
  }

  /**
   * Runs one seed.
   *
   * @throws AssertionError with the latest trace lines, if a guarantee is violated
   */
  void run(long seed) {
    try (QueueWorld world = new QueueWorld(seed, false, broken)) {
      run(world);
      events += world.timeline.events();
      tally.add(world.tally);
    } catch (Failure | RuntimeException e) {
      throw new AssertionError(report(seed, e), e);
    }
  }

  private void run(QueueWorld world) {
    faults.reset();
    world.run(eventsASeed);
    faults.check();
  }

  // The same seed repeats the same events, this time with a trace.
  private String report(long seed, Throwable failure) {
    String subject = failure instanceof Failure known ? known.subject : "node";
    try (QueueWorld again = new QueueWorld(seed, true, broken)) {
      Throwable repeated = null;
      try {
        run(again);
      } catch (Failure | RuntimeException e) {
        repeated = e;
      }
      return "seed %d: %s%n(again: %s)%n%s%n%s"
          .formatted(
              seed,
              failure,
              repeated,
              again.plan,
              String.join(System.lineSeparator(), again.trace.about(subject, TRACE_LINES)));
    }
  }

  @Override
  public void close() {
    faults.close();
  }
}
