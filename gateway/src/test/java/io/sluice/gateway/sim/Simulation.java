package io.sluice.gateway.sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import java.util.Set;
import org.slf4j.LoggerFactory;

/** Runs worlds, one seed after the other, and tells the story of one that fails. */
final class Simulation implements AutoCloseable {
  private static final int STORY_LINES = 120;

  /** What a node logs while it cannot make messages safe. */
  private static final String FULL_DISK = "journal.failed";

  final Tally tally = new Tally();

  private final Logger log = (Logger) LoggerFactory.getLogger("io.sluice.gateway");
  private final Faults faults = new Faults();
  private final boolean wild;
  private final Set<Rule> broken;
  private final long eventsASeed;
  private long events;

  /** What a node logs as an error is a bug, though it goes on. */
  private static final class Faults extends AppenderBase<ILoggingEvent> {
    private ILoggingEvent latest;

    @Override
    protected void append(ILoggingEvent event) {
      boolean told = event.getMessage().equals(FULL_DISK);
      if (event.getLevel().isGreaterOrEqual(Level.ERROR) && !told) {
        latest = event;
      }
    }

    void check() {
      if (latest != null) {
        ThrowableProxy cause = (ThrowableProxy) latest.getThrowableProxy();
        throw new IllegalStateException(
            "a node logs " + latest, cause == null ? null : cause.getThrowable());
      }
    }
  }

  /** The meters of one world: each of its nodes leaves some behind when it dies. */
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
   * @param broken rules that somebody breaks
   * @param wild whether reordering and clocks are worse than any configuration says
   * @param eventsASeed after so many events of one seed its faults end
   */
  Simulation(Set<Rule> broken, boolean wild, long eventsASeed) {
    this.broken = broken;
    this.wild = wild;
    this.eventsASeed = eventsASeed;
    faults.start();
    log.addAppender(faults);
  }

  /** Events of all runs together. */
  long events() {
    return events;
  }

  /**
   * Runs one seed.
   *
   * @throws AssertionError with the latest that happened, if a promise is broken
   */
  void run(long seed, Climate climate) {
    try (Meters meters = new Meters()) {
      try (World world = new World(seed, climate, false, broken, wild, meters.metrics)) {
        run(world);
        events += world.timeline.events();
        tally.add(world.tally);
      }
    } catch (Failure | RuntimeException e) {
      throw new AssertionError(story(seed, climate, e), e);
    }
  }

  private void run(World world) {
    faults.latest = null;
    world.run(eventsASeed);
    faults.check();
  }

  // The same seed does the same again, this time with a trace.
  private String story(long seed, Climate climate, Throwable failure) {
    String subject = failure instanceof Failure known ? known.subject : "node";
    try (Meters meters = new Meters()) {
      World again = new World(seed, climate, true, broken, wild, meters.metrics);
      try (again) {
        run(again);
      } catch (Failure | RuntimeException e) {
        // the same as before
      }
      return "seed %d, %s: %s%n%s%n%s"
          .formatted(
              seed,
              climate,
              failure,
              again.plan,
              String.join(System.lineSeparator(), again.trace.about(subject, STORY_LINES)));
    }
  }

  @Override
  public void close() {
    log.detachAppender(faults);
  }
}
