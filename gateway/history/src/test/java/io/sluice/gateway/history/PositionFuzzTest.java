package io.sluice.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.Site;
import io.sluice.gateway.protocol.Start;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Forged positions of all kinds against a log with losses, evictions and a wall clock that is set
 * forward and back. A recovery is exact for the facts that the position claims.
 */
final class PositionFuzzTest {
  private static final int WORLDS = 40;
  private static final int STEPS = 300;
  private static final int POSITIONS_A_STEP = 20;
  private static final long EPOCH = 0x1234_5678_0000_0001L;
  private static final long EARLIER_EPOCH = 0x1234_5678_0000_0002L;
  private static final long LARGEST = (1L << 53) - 1;
  private static final long WALL_MS = 1_763_700_000_000L;
  private static final long SPREAD_MS = 100;
  private static final long MARGIN_MS = 1_000;
  private static final Channel CHANNEL = new Channel(1, "t", null);

  private final Exposition exposition = new Exposition("position-fuzz");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  @Test
  void shouldRecoverExactlyOrNotAtAll() {
    long seed = ThreadLocalRandom.current().nextLong();
    int recovered = 0;
    for (int world = 0; world < WORLDS; world++) {
      World fuzzed = new World(new Random(seed + world), world % 2 == 0, metrics);
      for (int step = 0; step < STEPS; step++) {
        fuzzed.change();
        for (int i = 0; i < POSITIONS_A_STEP; i++) {
          recovered += fuzzed.check("seed " + seed + ", world " + world + ", step " + step) ? 1 : 0;
        }
      }
      fuzzed.log.close();
    }
    assertThat(recovered).as("recovered positions of seed %d", seed).isGreaterThan(WORLDS);
  }

  // As after a restart of the node whose clock was ahead.
  @Test
  void shouldRefuseTimeThatClockHasNotReached() {
    World world = new World(new Random(1), true, metrics);
    world.append();
    world.pass(60_000);
    long nowMs = world.wallMs();
    for (long timeMs : new long[] {nowMs + MARGIN_MS, nowMs + MARGIN_MS + 1, LARGEST}) {
      Start.Position position =
          new Start.Position(EARLIER_EPOCH, Site.of("paris"), 1, new long[] {1}, WALL_MS, timeMs);
      boolean reached = timeMs <= nowMs + MARGIN_MS;
      assertThat(world.log.resume(position, 1, world, 0, true))
          .as("%d at %d", timeMs, nowMs)
          .isEqualTo(reached ? 1 : -1);
    }
    world.log.close();
  }

  // The node then passes times again that it has had before: such a time may be the earlier one.
  @Test
  void shouldRefuseTimesFromBeforeStepOfClock() {
    for (long stepMs : new long[] {-10 * MARGIN_MS, 10 * MARGIN_MS, -MARGIN_MS / 2}) {
      World world = new World(new Random(1), false, metrics);
      HubClock clock = new StepDetector(world, MARGIN_MS);
      world.pass(60_000);
      long provenMs = clock.wallMs();
      world.append(); // the client lacks it
      world.skewMs += stepMs;
      clock.wallMs();
      world.pass(12 * MARGIN_MS);
      world.append();
      Start.Position before =
          new Start.Position(
              EARLIER_EPOCH, Site.of("paris"), 1, new long[0], provenMs - 40_000, provenMs);
      assertThat(world.log.resume(before, 2, clock, world.monoMs(), true))
          .as("step by %d", stepMs)
          .isEqualTo(Math.abs(stepMs) < MARGIN_MS ? 0 : -1);
      long laterMs = clock.wallMs();
      world.pass(10 * MARGIN_MS);
      Start.Position after =
          new Start.Position(
              EARLIER_EPOCH, Site.of("paris"), 1, new long[0], laterMs - 3 * MARGIN_MS, laterMs);
      assertThat(world.log.resume(after, 2, clock, world.monoMs(), true))
          .as("after the step by %d", stepMs)
          .isEqualTo(1);
      world.log.close();
    }
  }

  // The client received message 2 at a node without a backlog, before message 1 was published.
  @Test
  void shouldReplayMessageThatOvertookTheClientsLatestOneInBacklog() {
    World world = new World(new Random(1), false, metrics);
    world.pass(60_000);
    long sinceMs = world.wallMs() - 30_000;
    world.append(9);
    world.pass(MARGIN_MS / 2);
    world.append(LogEntry.DEFAULT_RANK);
    world.pass(MARGIN_MS / 2);
    for (long provenMs : new long[] {world.wallMs() - MARGIN_MS, 0}) {
      Start.Position position =
          new Start.Position(EARLIER_EPOCH, Site.of("paris"), 1, new long[] {2}, sinceMs, provenMs);
      assertThat(world.log.resume(position, 2, world, 0, true))
          .as("proven at %d", provenMs)
          .isEqualTo(provenMs > 0 ? 0 : -1);
    }
    world.log.close();
  }

  private static final class World implements HubClock {
    private static final long BEGIN_MS = 1_000_000;

    private final Random random;
    private final Lineage lineage;
    private final TopicLog log;

    /** All entries that were ever appended, by offset from 1. */
    private final List<LogEntry> entries = new ArrayList<>();

    private long monoMs = BEGIN_MS;
    private long skewMs;

    World(Random random, boolean durable, GatewayMetrics metrics) {
      this.random = random;
      this.lineage = durable ? new Lineage("t", (int) (EPOCH >>> 32), true) : null;
      LogLimits limits =
          LogLimits.of(
              Config.defaults()
                  .with(BrokerSettings.SITE, "paris")
                  .with(HistorySettings.MESSAGES, 8 << random.nextInt(4))
                  .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(SPREAD_MS))
                  .with(HistorySettings.RESUME_MARGIN, Duration.ofMillis(MARGIN_MS))
                  .with(HistorySettings.RESUME_OVERLAP, 64));
      this.log = new TopicLog(EPOCH, lineage, limits, new LogMemory(1 << 20, metrics));
      log.completeSince(monoMs);
    }

    void change() {
      monoMs += random.nextInt(4) == 0 ? random.nextInt(3_000) : random.nextInt(20);
      switch (random.nextInt(40)) {
        case 0 -> entries.add(log.at(log.appendGap(GapReason.BROKER_LOST, monoMs)));
        case 1 -> skewMs = random.nextInt(20_000_000) - 10_000_000;
        case 2 -> log.recordLag(random.nextInt(500), monoMs);
        default -> append();
      }
    }

    void append() {
      append(LogEntry.DEFAULT_RANK);
    }

    void append(int rank) {
      Message message =
          new Message("t", entries.size() + 1L, 1, PayloadKind.TEXT, new byte[0], null, null);
      entries.add(log.append(message, CHANNEL, monoMs, rank));
    }

    void pass(long ms) {
      monoMs += ms;
    }

    /** Resumes at a forged position; returns whether it was recovered. */
    boolean check(String where) {
      Start.Position position = forged();
      long upTo = Math.max(0, log.last() - random.nextInt(2));
      long provenMs = toMono(time());
      long after = log.resume(position, upTo, this, provenMs, true);
      String what = where + ": " + position + " with ids " + Arrays.toString(position.ids());
      assertThat(after).as(what).isBetween(-1L, upTo);
      if (after < 0) {
        return false;
      }
      assertThat(position.site()).as(what).isEqualTo(Site.of("paris"));
      assertThat(log.hasRange(after, upTo)).as("%s has all after %d", what, after).isTrue();
      if (position.epoch() == EPOCH) {
        assertThat(position.offset()).as("offset of %s", what).isLessThanOrEqualTo(log.last());
        assertThat(after).as(what).isEqualTo(Math.min(position.offset(), upTo));
      } else {
        long latestMs = wallMs() + MARGIN_MS;
        assertThat(position.timeMs()).as("time of %s", what).isLessThanOrEqualTo(latestMs);
        assertThat(position.sinceMs()).as("since of %s", what).isLessThanOrEqualTo(latestMs);
        boolean justified =
            isOfLineage(position, after)
                || isOfIdentity(position, after)
                || isOfTime(position, after, provenMs);
        assertThat(justified).as("%s replays after %d", what, after).isTrue();
      }
      return true;
    }

    private boolean isOfLineage(Start.Position position, long after) {
      return isSameLineage(position)
          && position.ids().length > 0
          && after > 0
          && !entry(after).isGap()
          && entry(after).message().identity() == position.latestId();
    }

    private boolean isSameLineage(Start.Position position) {
      return lineage != null && lineage.hasEpoch(position.epoch());
    }

    private boolean isOfIdentity(Start.Position position, long after) {
      return !isSameLineage(position)
          && entries.stream()
              .filter(entry -> !entry.isGap() && position.hasId(entry.message().identity()))
              .anyMatch(entry -> hasAllSince(entry.arrivedMs() - SPREAD_MS, position, after));
    }

    private boolean isOfTime(Start.Position position, long after, long provenMs) {
      boolean proven = isSameLineage(position) || toMono(position.timeMs()) - MARGIN_MS <= provenMs;
      return position.timeMs() > 0
          && proven
          && hasAllSince(toMono(position.timeMs()) - MARGIN_MS, position, after);
    }

    private boolean hasAllSince(long startMs, Start.Position position, long after) {
      boolean skipped =
          entries.stream()
              .anyMatch(entry -> entry.arrivedMs() >= startMs && entry.offset() <= after);
      boolean needed = startMs >= toMono(position.sinceMs()) + MARGIN_MS;
      return position.sinceMs() > 0 && needed && !skipped && startMs > BEGIN_MS;
    }

    private LogEntry entry(long offset) {
      return entries.get((int) offset - 1);
    }

    private Start.Position forged() {
      long[] epochs = {EPOCH, EARLIER_EPOCH, 77, random.nextLong()};
      Site site = random.nextInt(8) == 0 ? Site.of("oslo") : Site.of("paris");
      long[] ids = new long[random.nextInt(4)];
      for (int i = 0; i < ids.length; i++) {
        ids[i] = 1 + random.nextInt(entries.size() + 3);
      }
      long epoch = epochs[random.nextInt(epochs.length)];
      return new Start.Position(epoch, site, offset(), ids, time(), time());
    }

    private long offset() {
      return switch (random.nextInt(4)) {
        case 0 -> random.nextInt((int) log.last() + 1);
        case 1 -> Math.max(0, log.last() - random.nextInt(8));
        case 2 -> log.last() + 1 + random.nextInt(3);
        default -> random.nextBoolean() ? LARGEST : log.last();
      };
    }

    private long time() {
      return switch (random.nextInt(8)) {
        case 0 -> 0;
        case 1 -> 1;
        case 2 -> LARGEST;
        case 3 -> wallMs() + MARGIN_MS + random.nextInt(3) - 1;
        case 4 -> wallMs() + random.nextInt(10_000_000);
        case 5 -> wallMs() - random.nextInt(10_000_000);
        default -> wallMs() - random.nextInt(5_000);
      };
    }

    @Override
    public long wallMs() {
      return WALL_MS + monoMs + skewMs;
    }

    @Override
    public long nanos() {
      return monoMs * 1_000_000;
    }
  }
}
