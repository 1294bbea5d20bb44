package io.sluice.gateway.sim;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Steps of the wall clocks of all nodes at once, and of the broker's clock. They stay apart by less
 * than the tolerance of the nodes, which must not compare times from before a step.
 */
final class ClockSteps {
  private static final long SALT = 0xc10c5L;
  private static final long SPREADER = 0x9e3779b97f4a7c15L;

  /** One in this many seeds has steps. */
  private static final int ONE_IN = 6;

  /** Time after a step in which frames from before it may still arrive. */
  private static final long IN_FLIGHT = 60 * Plan.SECOND;

  private record Step(long untilMicros, long offsetMicros) {}

  private final SeededRandom random;
  private final long meanMicros;
  private final long marginMicros;
  private final Timeline timeline;

  /** Offsets before the latest steps. */
  private final Deque<Step> earlier = new ArrayDeque<>();

  private long offsetMicros;
  private long brokerOffsetMicros;
  private long settledMicros;

  /**
   * @param possible whether the world may have steps
   */
  ClockSteps(long seed, boolean possible, Plan plan, Timeline timeline) {
    random = new SeededRandom((seed + SALT) * SPREADER);
    boolean drawn = random.oneIn(ONE_IN) || plan.breaks(Rule.STEP_ENDS_COMPARISON);
    meanMicros = drawn && possible ? random.between(2, 15) * Plan.SECOND : 0;
    marginMicros = plan.marginMs() * Plan.MILLI;
    this.timeline = timeline;
  }

  boolean isNone() {
    return meanMicros == 0;
  }

  /** Returns the time until the next step. */
  long pause() {
    return random.pause(meanMicros);
  }

  /**
   * Steps the clocks forwards or backwards, one time in four only that of the broker. Returns the
   * time after which a step back makes the latest times due again.
   */
  long step() {
    long size = marginMicros + random.between(0, 4 * marginMicros + 8 * Plan.SECOND);
    long by = random.oneIn(2) ? size : -size;
    brokerOffsetMicros += by;
    if (random.oneIn(4)) {
      return 0;
    }
    earlier.removeIf(step -> step.untilMicros() < timeline.nowMicros() - IN_FLIGHT);
    earlier.add(new Step(timeline.nowMicros(), offsetMicros));
    offsetMicros += by;
    settledMicros = timeline.nowMicros() + size + marginMicros;
    return size - random.between(0, marginMicros);
  }

  /**
   * Returns the time before which no node starts, because it cannot distinguish times from before
   * the latest step.
   */
  long settledMicros() {
    return settledMicros;
  }

  /** Returns whether a client is away for that time. */
  boolean isAway() {
    return random.oneIn(3);
  }

  /** Returns the difference of the nodes' clocks from the virtual time. */
  long offsetMicros() {
    return offsetMicros;
  }

  /** Returns the wall-clock time of the broker. */
  long brokerMs() {
    return NodeClock.EPOCH_MS + (timeline.nowMicros() + brokerOffsetMicros) / Plan.MILLI;
  }

  /** Returns the earliest virtual time at which a node sent a wall-clock time that arrives now. */
  long micros(long wallMs) {
    long since = timeline.nowMicros() - IN_FLIGHT;
    long offset =
        earlier.stream()
            .filter(step -> step.untilMicros() > since)
            .mapToLong(Step::offsetMicros)
            .reduce(offsetMicros, Math::max);
    return (wallMs - NodeClock.EPOCH_MS) * Plan.MILLI - offset;
  }
}
