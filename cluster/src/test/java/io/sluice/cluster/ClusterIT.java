package io.sluice.cluster;

import static io.sluice.cluster.Nodes.eventually;
import static io.sluice.cluster.Nodes.ids;
import static io.sluice.cluster.Nodes.node;
import static io.sluice.cluster.Nodes.seen;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Test of join, announcements and leave of nodes. */
final class ClusterIT {
  @TempDir private Path folder;

  @Test
  void shouldStartAloneAndDiscoverOthersLater() throws Exception {
    try (Nodes nodes = new Nodes("join", 4)) {
      Cluster first = nodes.start(0);
      assertThat(ids(first)).containsExactly("node-0");
      assertThat(first.activeTopics(10).toCompletableFuture().get(60, TimeUnit.SECONDS)).isEmpty();

      Cluster second = nodes.start(1);
      Cluster third = nodes.start(2);
      for (Cluster cluster : List.of(first, second, third)) {
        eventually().until(() -> ids(cluster).equals(List.of("node-0", "node-1", "node-2")));
      }

      second.close();
      eventually().until(() -> ids(first).equals(List.of("node-0", "node-2")));
      eventually().until(() -> ids(third).equals(List.of("node-0", "node-2")));
    }
  }

  @Test
  void shouldAnnounceStatesAndFigures() throws Exception {
    try (Nodes nodes = new Nodes("status", 2)) {
      Cluster first = nodes.start(0);
      first.announce(NodeState.UP);
      Cluster second = nodes.start(1);
      AtomicReference<Thread> caller = new AtomicReference<>();
      second.onChange(() -> caller.set(Thread.currentThread()));
      eventually().until(() -> ids(second).size() == 2 && ids(first).size() == 2);
      assertThat(seen(second, "node-0").state()).isEqualTo(NodeState.UP);
      assertThat(seen(second, "node-0").publicUrl()).isEqualTo("wss://node-0.example.com/ws");

      Load load = new Load(1000, 900, 12_345.6, 0.5, 7);
      first.report(load);
      eventually().until(() -> seen(second, "node-0").load().equals(load));
      first.announce(NodeState.DRAINING);
      eventually().until(() -> seen(second, "node-0").state() == NodeState.DRAINING);
      assertThat(seen(second, "node-0").load()).isEqualTo(load);
      assertThat(caller.get().getName()).startsWith("sluice-cluster");
    }
  }

  /** Exchange whose first message blocks the cluster's thread until the test releases it. */
  private static final class BlockedExchange {
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch discarded = new CountDownLatch(1);
    private volatile BiConsumer<Object, byte[]> sender;
    private volatile List<?> peers = List.of();

    void join(Cluster cluster) {
      cluster.join(
          List.of(
              new Exchange(
                  7,
                  joined -> sender = joined,
                  view -> peers = view,
                  (from, message) -> block(),
                  discarded::countDown)));
    }

    private void block() {
      try {
        released.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Test
  void shouldNotifyOfDiscardedMessages() throws Exception {
    try (Nodes nodes = new Nodes("discarded", 2)) {
      Cluster first = nodes.start(0);
      Cluster second = nodes.start(1);
      BlockedExchange sender = new BlockedExchange();
      BlockedExchange receiver = new BlockedExchange();
      sender.join(first);
      receiver.join(second);
      eventually().until(() -> sender.peers.size() == 1);
      for (int i = 0; i < 1_100; i++) {
        sender.sender.accept(sender.peers.get(0), new byte[] {7});
      }
      eventually().until(() -> second.counts().dropped() > 0);
      assertThat(receiver.discarded.getCount()).isEqualTo(1);
      receiver.released.countDown();
      assertThat(receiver.discarded.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void shouldPassMessagesToTheExchangeOfTheirChannel() throws Exception {
    try (Nodes nodes = new Nodes("channels", 2)) {
      Cluster first = nodes.start(0);
      Cluster second = nodes.start(1);
      BlockedExchange sender = new BlockedExchange();
      sender.join(first);
      byte[] largest = new byte[Exchange.MAX_BYTES];
      largest[0] = 8;
      BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
      second.join(
          List.of(
              new Exchange(8, joined -> {}, view -> {}, (from, message) -> received.add(message))));
      eventually().until(() -> sender.peers.size() == 1);
      eventually()
          .until(
              () -> {
                sender.sender.accept(sender.peers.get(0), new byte[] {9});
                sender.sender.accept(sender.peers.get(0), largest);
                return !received.isEmpty();
              });
      assertThat(received).allMatch(message -> Arrays.equals(message, largest));
      byte[] tooLarge = new byte[Exchange.MAX_BYTES + 1];
      assertThatThrownBy(() -> sender.sender.accept(sender.peers.get(0), tooLarge))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("16385 bytes");
    }
  }

  @Test
  void shouldSendActiveTopicsToAJoiningNode() throws Exception {
    List<String> names = IntStream.range(0, 9_000).mapToObj(i -> "stocks.é." + i).toList();
    try (Nodes nodes = new Nodes("topics", 2)) {
      Seeds seeds = new Seeds.Listed(nodes.addresses());
      Cluster first =
          nodes.start(nodes.config(0, seeds, Nodes.OPEN), Nodes.QUICK, node("node-0"), () -> names);
      first.announce(NodeState.UP);
      Cluster second = nodes.start(1);
      eventually().until(() -> ids(second).size() == 2);
      assertThat(second.activeTopics(20_000).toCompletableFuture().get(60, TimeUnit.SECONDS))
          .containsExactlyInAnyOrderElementsOf(names);
      assertThat(second.activeTopics(7).toCompletableFuture().get(60, TimeUnit.SECONDS)).hasSize(7);
    }
  }

  @Test
  void shouldRequestTopicsOnceTheServingNodesAreKnown() throws Exception {
    try (Nodes nodes = new Nodes("early", 2)) {
      Seeds seeds = new Seeds.Listed(nodes.addresses());
      Cluster first =
          nodes.start(
              nodes.config(0, seeds, Nodes.OPEN),
              Nodes.QUICK,
              node("node-0"),
              () -> List.of("a", "b"));
      first.announce(NodeState.UP);
      first.activeTopics(1).toCompletableFuture().get(60, TimeUnit.SECONDS);
      Cluster second = nodes.start(1);
      assertThat(second.activeTopics(5).toCompletableFuture().get(60, TimeUnit.SECONDS))
          .containsExactly("a", "b");
    }
  }

  private static Cluster serving(Nodes nodes, int index, Supplier<List<String>> topics)
      throws ClusterStartFailure {
    Cluster cluster = nodes.start(nodes.config(index), Nodes.QUICK, node("node-" + index), topics);
    cluster.announce(NodeState.UP);
    return cluster;
  }

  private static void awaitUp(Cluster cluster, String... ids) {
    for (String id : ids) {
      eventually()
          .ignoreException(NoSuchElementException.class) // not there yet
          .until(() -> seen(cluster, id).state() == NodeState.UP);
    }
  }

  @Test
  void shouldSendTheTopicsOfAllNodesToAJoiningNode() throws Exception {
    try (Nodes nodes = new Nodes("union", 4)) {
      serving(nodes, 0, () -> List.of("a", "b"));
      serving(nodes, 1, () -> List.of("b", "c"));
      nodes.start(nodes.config(2), Nodes.QUICK, node("node-2"), () -> List.of("c", "d"));
      Cluster joiner = nodes.start(3);
      awaitUp(joiner, "node-0", "node-1");
      eventually().until(() -> ids(joiner).contains("node-2"));
      assertThat(joiner.activeTopics(9).toCompletableFuture().get(60, TimeUnit.SECONDS))
          .containsExactlyInAnyOrder("a", "b", "c", "d");
      assertThat(joiner.activeTopics(2).toCompletableFuture().get(60, TimeUnit.SECONDS)).hasSize(2);
    }
  }

  @Test
  void shouldDiscoverNodesAmongUnreachableSeeds() throws Exception {
    try (Nodes nodes = new Nodes("dead", 3)) {
      List<String> some =
          List.of(
              "no-such-host.invalid:7800", "127.0.0.1:" + nodes.port(2), nodes.addresses().get(0));
      Cluster first =
          nodes.start(
              nodes.config(0, new Seeds.Dns("no-such-host.invalid", 7800), Nodes.OPEN),
              Nodes.QUICK,
              node("node-0"),
              () -> List.of());
      Cluster second =
          nodes.start(
              nodes.config(1, new Seeds.Listed(some), Nodes.OPEN),
              Nodes.QUICK,
              node("node-1"),
              () -> List.of());
      eventually().until(() -> ids(first).size() == 2 && ids(second).size() == 2);
    }
  }

  /** Nodes like those of a headless service: one name, one port, an address for each. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void shouldDiscoverAllNodesOfOneDnsName() throws Exception {
    String hosts = "127.0.0.1 nodes.test\n127.0.0.2 nodes.test\n127.0.0.3 nodes.test\n";
    Path names = Files.writeString(folder.resolve("hosts"), hosts);
    try (Nodes nodes = new Nodes("dns", 1)) {
      int port = nodes.port(0);
      Cluster first = nodes.start(0); // has no seed except itself
      try (Child second = Child.startByName(names, "127.0.0.2", port, "nodes.test", "dns", "b");
          Child third = Child.startByName(names, "127.0.0.3", port, "nodes.test", "dns", "c")) {
        eventually().until(() -> ids(first).equals(List.of("b", "c", "node-0")));
        second.kill();
        eventually().until(() -> ids(first).equals(List.of("c", "node-0")));
        third.kill();
        eventually().until(() -> ids(first).equals(List.of("node-0")));
      }
    }
  }

  @Test
  void shouldRefuseToStartOnAPortInUse() throws Exception {
    try (Nodes nodes = new Nodes("port", 1);
        ServerSocket taken = new ServerSocket(nodes.port(0), 1, InetAddress.getLoopbackAddress())) {
      assertThat(taken.isBound()).isTrue();
      assertThatThrownBy(() -> nodes.start(0))
          .isInstanceOf(ClusterStartFailure.class)
          .hasMessageContaining("cluster.port")
          .hasMessageContaining("127.0.0.1:" + nodes.port(0));
    }
  }

  @Test
  void shouldListTheLaterOfTwoIncarnations() throws Exception {
    try (Nodes nodes = new Nodes("twins", 3)) {
      Cluster bystander = nodes.start(0);
      Cluster elder = nodes.start(1, node("twin"), Nodes.OPEN);
      Node young = node("twin");
      Node younger =
          new Node(
              young.id(),
              elder.self().incarnation() + 1,
              "wss://other",
              "",
              "1.0",
              NodeState.JOINING,
              0,
              Load.NONE);
      Cluster second = nodes.start(2, younger, Nodes.OPEN);
      for (Cluster cluster : List.of(bystander, elder, second)) {
        eventually()
            .until(
                () ->
                    ids(cluster).equals(List.of("node-0", "twin"))
                        && seen(cluster, "twin").incarnation() == younger.incarnation());
      }
      second.close();
      eventually()
          .ignoreException(NoSuchElementException.class) // until the names are distinct
          .until(() -> seen(bystander, "twin").incarnation() == elder.self().incarnation());
    }
  }
}
