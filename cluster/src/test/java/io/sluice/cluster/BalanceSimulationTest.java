package io.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Simulation of balance and drain with one {@link World} for each seed: 3 to 20 nodes, 10,000 to
 * 100,000 clients. {@code -Dsluice.balance.seeds} sets the number of seeds.
 */
final class BalanceSimulationTest {
  private static final boolean FULL = Boolean.getBoolean("sluice.full");

  /** Allowance for outdated figures of other nodes, in addition to the tolerance. */
  private static final double STALE = 0.06;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, Long.getLong("sluice.balance.seeds", FULL ? 6 : 2));
  }

  private static World world(long seed, int drainRate, boolean even) {
    Random random = new Random(seed);
    double[] weights = new double[3 + random.nextInt(18)];
    Arrays.setAll(weights, i -> even ? 1 : 0.5 + random.nextDouble());
    int clients = 10_000 + random.nextInt(90_000);
    BalanceRules rules = new BalanceRules(0.1 + random.nextDouble() / 10, clients / 20.0);
    World world = new World(random, rules, drainRate, weights);
    for (int i = 0; i < clients; i++) {
      world.connect();
      if (i % 2_000 == 0) {
        world.step();
      }
    }
    return world;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void shouldEqualizeNodesWithAnyLoadBalancer(long seed) {
    World world = world(seed, 1_000, false);
    world.run(900);
    assertThat(world.spread()).isLessThan(world.rules.tolerance() + STALE);
    assertKeepsRules(world);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void shouldFillARestartedNode(long seed) {
    World world = world(seed, 10_000, true);
    world.run(400);
    long before = world.rebalanced;
    World.SimNode node = world.nodes.get(0);
    node.drain();
    world.run(60);
    assertThat(node.gone).isPositive();
    node.begin();
    double above = world.above();
    world.churn = 0.0005;

    world.run(1800);
    assertThat(world.spread()).isLessThan(world.rules.tolerance() + STALE);
    assertThat(node.clients.size()).isGreaterThan(0);
    assertThat((double) (world.rebalanced - before)).isLessThan(1.2 * above);
    assertKeepsRules(world);

    long rest = world.rebalanced;
    world.run(900);
    assertThat(world.rebalanced - rest)
        .as("moves once it is even")
        .isLessThan((long) (0.02 * above) + 10);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void shouldNotRedirectClientsOfBalancedNodes(long seed) {
    World world = world(seed, 1_000, true);
    world.churn = 0.001;
    world.run(600);
    assertThat(world.rebalanced).isZero();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void shouldDrainAnyNumberOfNodesWithinTheRate(long seed) {
    World world = world(seed, 400, true);
    int draining = 2 + world.random.nextInt(world.nodes.size() / 3 + 1);
    double clients = 0;
    for (int i = 0; i < Math.min(draining, world.nodes.size() - 1); i++) {
      clients += world.nodes.get(i).clients.size();
      world.nodes.get(i).drain();
      world.run(i % 3);
    }
    double needed = clients / 400;
    world.run((int) (1.1 * needed) + 20);
    assertThat(world.nodes.stream().filter(node -> node.is(NodeState.DRAINING))).isEmpty();
    assertThat(world.mostDrainedASecond).isLessThanOrEqualTo(401);
    assertThat((double) world.drained).isCloseTo(clients, within(0.02 * clients));
    assertThat(world.spread()).isLessThan(world.rules.tolerance() + STALE);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void shouldRebalanceAfterARollingRestart(long seed) {
    World world = world(seed, 2_000, true);
    world.run(400);
    for (World.SimNode node : world.nodes) {
      node.drain();
      while (node.gone == 0) {
        world.step();
      }
      world.run(20);
      node.begin();
      world.run(20);
    }
    world.run(2_400);
    assertThat(world.spread()).isLessThan(world.rules.tolerance() + STALE);
    assertKeepsRules(world);
  }

  private static void assertKeepsRules(World world) {
    assertThat((double) world.maxRebalancedPerMinute)
        .isLessThan(world.rules.movesPerMinute() * 1.1 + world.nodes.size());
  }
}
