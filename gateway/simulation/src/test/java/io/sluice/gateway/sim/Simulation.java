package io.sluice.gateway.sim;

import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import java.util.Set;

/** Runner of worlds, one seed after the other. It repeats a failed seed with a trace. */
final class Simulation implements AutoCloseable {
  private static final int TRACE_LINES = 120;

  final Tally tally = new Tally();

  private final ErrorLog faults = new ErrorLog();
  private final boolean wild;
  private final boolean selective;
  private final boolean compressed;
  private final boolean ordered;
  private final boolean tiered;
  private final Set<Rule> broken;
  private final long eventsASeed;
  private long events;

  /** Meters of one world. Crashed nodes do not remove theirs. */
  private static final class Meters implements AutoCloseable {
    private final Exposition exposition = new Exposition("simulation");
    private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

    @Override
    public void close() {
      metrics.close();
      exposition.close();
    }
  }

  /**
   * @param broken rules that are violated
   * @param wild whether reordering and clock errors exceed the configured tolerance
   * @param selective whether clients use selectors
   * @param eventsASeed number of events of one seed after which its faults end
   */
  Simulation(Set<Rule> broken, boolean wild, boolean selective, long eventsASeed) {
    this(broken, wild, selective, false, false, false, eventsASeed);
  }

  /**
   * @param compressed whether clients use compression
   * @param ordered whether the source is ordered
   * @param tiered whether some nodes are leaves of others
   */
  Simulation(
      Set<Rule> broken,
      boolean wild,
      boolean selective,
      boolean compressed,
      boolean ordered,
      boolean tiered,
      long eventsASeed) {
    this.tiered = tiered;
    this.ordered = ordered;
    this.compressed = compressed;
    this.broken = broken;
    this.wild = wild;
    this.selective = selective;
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
  void run(long seed, Climate climate) {
    try (Meters meters = new Meters()) {
      try (World world = newWorld(seed, climate, false, meters)) {
        run(world);
        events += world.timeline.events();
        tally.add(world.tally);
      }
    } catch (Failure | RuntimeException e) {
      throw new AssertionError(report(seed, climate, e), e);
    }
  }

  private World newWorld(long seed, Climate climate, boolean traced, Meters meters) {
    return new World(
        seed,
        climate,
        traced,
        broken,
        wild,
        selective,
        compressed,
        ordered,
        tiered,
        meters.metrics);
  }

  private void run(World world) {
    faults.reset();
    world.run(eventsASeed);
    faults.check();
    if (!wild && !world.plan.mayLag()) {
      faults.checkNoLag();
    }
  }

  // The same seed repeats the same events, this time with a trace.
  private String report(long seed, Climate climate, Throwable failure) {
    String subject = failure instanceof Failure known ? known.subject : "node";
    try (Meters meters = new Meters()) {
      World again = newWorld(seed, climate, true, meters);
      try (again) {
        run(again);
      } catch (Failure | RuntimeException e) {
        // the same as before
      }
      return "seed %d, %s%s: %s%n%s%n%s"
          .formatted(
              seed,
              climate,
              (selective ? " with selectors" : "")
                  + (compressed ? " with compression" : "")
                  + (ordered ? " of an ordered source" : "")
                  + (tiered ? " with tiers" : ""),
              failure,
              again.plan,
              String.join(System.lineSeparator(), again.trace.about(subject, TRACE_LINES)));
    }
  }

  @Override
  public void close() {
    faults.close();
  }
}
