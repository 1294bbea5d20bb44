package io.sluice.cluster.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Random changes, losses, duplicates, reordering, restarts and partitions in virtual time. */
final class ReplicatedMapSimulationTest {
  private static final int SEEDS = 40;

  /** Number of seeds without a fault. */
  private static final int RUNS = Boolean.getBoolean("sluice.full") ? SEEDS : 12;

  /** First seeds that detect a fault, for those that seed 0 does not detect. */
  private static final Map<ReplicaWorld.Fault, Long> FIRST_SEEDS =
      Map.of(ReplicaWorld.Fault.DUPLICATES_ARE_NEW, 8L, ReplicaWorld.Fault.NO_DIGESTS, 6L);

  private static final int KEYS = 60;

  static LongStream seeds() {
    Long seed = Long.getLong("sluice.sim.seed");
    return seed == null ? LongStream.range(0, RUNS) : LongStream.of(seed);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldConvergeOnceItIsQuiet(long seed) throws Exception {
    run(seed, ReplicaWorld.Fault.NONE);
  }

  private static void run(long seed, ReplicaWorld.Fault fault) throws IOException {
    Random random = new Random(seed);
    ReplicaWorld world = new ReplicaWorld(random, fault, 2 + random.nextInt(4), 48);
    world.quality(random.nextDouble() * 0.3, random.nextDouble() * 0.3, random.nextBoolean());
    for (int step = 0; step < 120; step++) {
      hardship(world, random);
      // Fewer keys at the end: full copies have room again.
      change(world, random, step < 80 ? KEYS : KEYS / 3);
    }
    world.quality(0, 0, false);
    world.heal();
    world.run(ReplicaWorld.DIGEST_MS + 4 * ReplicaCopy.TIMEOUT_MS);
    world.assertConverged("seed " + seed);
  }

  private static void hardship(ReplicaWorld world, Random random) {
    switch (random.nextInt(16)) {
      case 0 -> world.restart(random.nextInt(world.nodes.size()));
      case 1 -> world.split();
      case 2, 3 -> world.heal();
      default -> {}
    }
  }

  private static void change(ReplicaWorld world, Random random, int keys) throws IOException {
    for (int i = random.nextInt(30); i > 0; i--) {
      ReplicaWorld.SimulatedNode node = world.nodes.get(random.nextInt(world.nodes.size()));
      if (keys < KEYS) {
        node.truth.tailMap("key." + keys, true).keySet().forEach(node.map::remove);
        node.truth.tailMap("key." + keys, true).clear();
      }
      node.change("key." + (10 + random.nextInt(keys - 10)));
      if (random.nextInt(4) == 0) {
        world.run(random.nextInt(150));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void shouldDetectTheFault(ReplicaWorld.Fault fault) {
    long first = FIRST_SEEDS.getOrDefault(fault, 0L);
    assertThat(LongStream.range(first, SEEDS).anyMatch(seed -> isDetected(seed, fault))).isTrue();
  }

  private static boolean isDetected(long seed, ReplicaWorld.Fault fault) {
    try {
      run(seed, fault);
      return false;
    } catch (AssertionError | IOException e) {
      return true;
    }
  }

  @Test
  void shouldSendOnlyDigestsWhileNothingChanges() throws Exception {
    ReplicaWorld world = new ReplicaWorld(new Random(1), ReplicaWorld.Fault.NONE, 2, 48);
    world.run(1_000);
    world.nodes.get(0).change("key.1");
    world.nodes.get(0).change("key.2");
    world.run(10_000);
    world.assertConverged("before");
    long before = world.sent();
    world.run(10 * ReplicaWorld.DIGEST_MS);
    assertThat(world.sent() - before).as("of the node with entries").isBetween(9L, 11L);
  }
}
