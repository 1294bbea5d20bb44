package io.sluice.gateway.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.presence.PresenceWorld.SimulatedPeer;
import io.sluice.gateway.protocol.presence.PresenceView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PresenceSimulationTest {
  private static final int SEEDS = Boolean.getBoolean("sluice.full") ? 60 : 15;
  private static final int MEMBERS = 6;

  static LongStream seeds() {
    Long seed = Long.getLong("sluice.sim.seed");
    return seed == null ? LongStream.range(0, SEEDS) : LongStream.of(seed);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldAgreeWithTheTruthOnceItIsQuiet(long seed) {
    Random random = new Random(seed);
    PresenceWorld world = new PresenceWorld(random, 2 + random.nextInt(4), 14, MEMBERS);
    world.loss(random.nextDouble() * 0.3);
    for (int step = 0; step < 120; step++) {
      hardship(world, random);
      for (int i = random.nextInt(20); i > 0; i--) {
        world.clientActs();
        world.run(random.nextInt(120));
      }
    }
    world.loss(0);
    world.heal();
    world.run(PresenceWorld.LOST_MS + PresenceWorld.GRACE_MS + 15_000);
    assertTruth(world, seed, false);
  }

  private static void hardship(PresenceWorld world, Random random) {
    switch (random.nextInt(12)) {
      case 0 -> world.crash(random.nextInt(world.nodes.size()), true);
      case 1 -> world.split();
      case 2, 3 -> world.heal();
      default -> {}
    }
  }

  private static void assertTruth(PresenceWorld world, long seed, boolean partial) {
    for (SimulatedPeer node : world.nodes) {
      for (String topic : PresenceWorld.TOPICS) {
        Set<String> truth = world.truth(topic, node);
        PresenceView view = node.table.view(topic);
        String where = "seed " + seed + ", " + topic + " at " + node.name;
        assertThat(view.count()).as(where).isEqualTo(truth.size());
        assertThat(view.isTruncated()).as(where).isEqualTo(truth.size() > MEMBERS);
        assertThat(view.partial()).as(where).isEqualTo(partial);
        if (!view.isTruncated()) {
          assertThat(PresenceWorld.ids(view)).as(where).isEqualTo(truth);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldShowWhatIsKnownInASplit(long seed) {
    Random random = new Random(seed);
    PresenceWorld world = new PresenceWorld(random, 2, 14, MEMBERS);
    world.run(2_000);
    for (int i = 0; i < 150; i++) {
      world.clientActs();
    }
    world.run(5_000);
    while (!world.nodes.get(0).table.view("room.1").partial()) {
      world.split();
      world.run(1_000);
    }
    world.clientActs();
    world.run(8_000);
    assertTruth(world, seed, true);
    world.heal();
    world.run(10_000);
    assertTruth(world, seed, false);
  }

  /** Topics change between a list and a count, and back, while some of their members remain. */
  @ParameterizedTest
  @MethodSource("seeds")
  void shouldShowTheMembersThatRemainAfterEachMessage(long seed) {
    Random random = new Random(seed);
    PresenceWorld world = new PresenceWorld(random, 2, 16, MEMBERS);
    List<PresenceWorld.SimulatedMember> remaining = world.clients.subList(0, 4);
    for (PresenceWorld.SimulatedMember client : remaining) {
      world.connect(client, world.nodes.get(0));
      PresenceWorld.TOPICS.forEach(topic -> world.enter(client, topic));
    }
    world.run(3_000);
    Map<String, Set<String>> truth = new HashMap<>();
    PresenceWorld.TOPICS.forEach(topic -> truth.put(topic, world.truth(topic, world.nodes.get(0))));
    world.onReceived(node -> truth.forEach((topic, ids) -> assertShown(node, topic, ids, seed)));
    world.loss(random.nextDouble() * 0.2);
    for (int step = 0; step < 150; step++) {
      for (int i = random.nextInt(30); i > 0; i--) {
        world.clientActs(world.clients.subList(remaining.size(), world.clients.size()));
      }
      world.run(random.nextInt(600));
    }
  }

  private static void assertShown(SimulatedPeer node, String topic, Set<String> ids, long seed) {
    PresenceView view = node.table.view(topic);
    if (!view.partial()) {
      String where = "seed " + seed + ", " + topic + " at " + node.name;
      assertThat(view.count()).as(where).isGreaterThanOrEqualTo(ids.size());
      if (!view.isTruncated()) {
        assertThat(PresenceWorld.ids(view)).as(where).containsAll(ids);
      }
    }
  }

  @Test
  void shouldNotShowAMoveBetweenNodes() {
    PresenceWorld world = new PresenceWorld(new Random(1), 3, 2, MEMBERS);
    world.run(2_000);
    PresenceWorld.SimulatedMember client = world.clients.get(0);
    world.connect(client, world.nodes.get(0));
    world.enter(client, "room.1");
    world.run(2_000);
    world.disconnect(client, false);
    for (int i = 0; i < 60; i++) {
      if (i == 19) { // 950 ms later
        world.connect(client, world.nodes.get(1));
      }
      world.run(PresenceTable.TICK_MS);
      for (SimulatedPeer node : world.nodes) {
        assertThat(node.table.view("room.1").count()).as("tick " + i).isEqualTo(1);
      }
    }
  }

  @Test
  void shouldRetainTheMembersOfALostNodeForTheGraceTime() {
    PresenceWorld world = new PresenceWorld(new Random(1), 2, 2, MEMBERS);
    world.run(2_000);
    PresenceWorld.SimulatedMember client = world.clients.get(0);
    world.connect(client, world.nodes.get(0));
    world.enter(client, "room.1");
    world.run(2_000);
    world.crash(0, false);
    world.run(800);
    PresenceTable left = world.nodes.get(1).table;
    assertThat(left.view("room.1").count()).isEqualTo(1);
    assertThat(left.view("room.1").partial()).isTrue();
    world.run(3_000);
    assertThat(left.view("room.1").count()).isZero();
    world.run(PresenceWorld.LOST_MS);
    assertThat(left.view("room.1").partial()).isFalse();
  }

  @Test
  void shouldSendABoundedNumberOfBytesFor10000Joins() {
    PresenceWorld world = new PresenceWorld(new Random(1), 2, 10_000, 100);
    world.run(2_000);
    long before = world.sentBytes();
    for (int i = 0; i < 10_000; i++) {
      world.connect(world.clients.get(i), world.nodes.get(0));
      world.enter(world.clients.get(i), "room.1");
      if (i % 500 == 499) {
        world.run(PresenceTable.TICK_MS); // 1 s
      }
    }
    world.run(2_000);
    assertThat(world.nodes.get(1).table.view("room.1").count()).isEqualTo(10_000);
    assertThat(world.sentBytes() - before).isLessThan(1_000);
  }
}
