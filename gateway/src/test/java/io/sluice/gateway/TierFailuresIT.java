package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.SluiceProcess;
import io.sluice.testkit.Switchboard;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that move between the leaves of two roots while processes of the tree and links between
 * them are killed, paused and throttled in turn.
 */
@Timeout(600)
final class TierFailuresIT {
  private static final int ROOTS = 2;
  private static final int LEAVES = 4;

  /** Many clients stay longer: together they open about as many connections as few. */
  private static final int MAX_STAY_MS = 300;

  private static final int MAX_STAY_OF_MANY_MS = 3_000;
  private static final int MANY = 300;

  /** Messages by which one root may be behind the other. */
  private static final int MAX_SKEW = 2_000;

  /** Root with a multicast group. */
  private static final int WITH_GROUP = 0;

  private static final int WITHOUT_GROUP = 1;

  /** Share of datagrams that leaves lose, duplicate and reorder, in percent each. */
  private static final int FAULTS = 2;

  private static final int SLOW_BYTES_PER_SECOND = 4_000;
  private static final Duration LONG = Duration.ofMinutes(2);

  /** Silent roots and brokers are lost within seconds. */
  private static final String COMMON =
      """
      broker.canary.timeout: 2s
      admin.ready-without-broker: never
      limits.per-address.connections: 0
      limits.per-address.handshake-rate: 0
      """;

  @TempDir private static Path folder;
  private static ArtemisProcess broker;
  private static final List<Integer> LINK_PORTS = FreePorts.some(ROOTS);
  private static List<NodeProcess> roots = List.of();

  /** By leaf, then by root. */
  private static List<List<Switchboard>> links = List.of();

  private static List<NodeProcess> leaves = List.of();

  /** Connections that clients have opened. */
  private final AtomicInteger connects = new AtomicInteger();

  private final List<Supplier<RawWebSocket.Request>> entrances =
      leaves.stream().map(this::entrance).toList();

  /** First message that each client lacks or has twice without a notice. */
  private final List<String> problems = new CopyOnWriteArrayList<>();

  @BeforeAll
  static void start() {
    broker = ArtemisProcess.start();
    links =
        Stream.generate(() -> LINK_PORTS.stream().map(TierFailuresIT::link).toList())
            .limit(LEAVES)
            .toList();
    roots =
        start(
            LINK_PORTS.stream().map(TierFailuresIT::root),
            List.of(SluiceProcess.LAUNCHER.toString()));
    leaves =
        start(
            IntStream.range(0, LEAVES).mapToObj(TierFailuresIT::leaf), MulticastIT.program(FAULTS));
  }

  private static Switchboard link(int port) {
    Switchboard link = new Switchboard();
    link.add("127.0.0.1", port);
    return link;
  }

  private static List<NodeProcess> start(Stream<String> settings, List<String> program) {
    return settings
        .parallel()
        .map(each -> NodeProcess.start(folder, COMMON + each, program))
        .toList();
  }

  @AfterAll
  static void stop() {
    links.stream().flatMap(List::stream).forEach(Switchboard::close);
    leaves.forEach(NodeProcess::close);
    roots.forEach(NodeProcess::close);
    broker.close();
  }

  private static String root(int port) {
    return """
        node.name: root-%d
        broker: {url: "%s", linger: 1m}
        links: {port: %d, subscribe: [">"], dial: [%s]}
        """
        .formatted(
            port,
            broker.url(),
            port,
            port == LINK_PORTS.get(WITH_GROUP) ? "'udp://239.8.8.5:" + port + "'" : "");
  }

  /** Prefers the root with the parity of its number. */
  private static String leaf(int number) {
    List<String> urls = links.get(number).stream().map(link -> "ws://" + link.address()).toList();
    return """
        node.name: leaf-%d
        nodes.roots: [%s, %s]
        """
        .formatted(number, urls.get(number % ROOTS), urls.get((number + 1) % ROOTS));
  }

  private Supplier<RawWebSocket.Request> entrance(NodeProcess leaf) {
    return () -> {
      connects.incrementAndGet();
      return leaf.request();
    };
  }

  /** Waits until clients have opened some more connections. */
  private void awaitConnects(int more) {
    int until = connects.get() + more;
    await().atMost(LONG).until(() -> connects.get() >= until);
  }

  /** Publisher of numbered texts, which sends none again. */
  private final class Numbers implements MessageFlow {
    private final String topic;
    private final Thread thread = new Thread(this::run, "numbers");
    private volatile boolean stopping;
    private volatile int sent;
    private volatile int stored = -1;

    Numbers(String topic) {
      this.topic = topic;
    }

    @Override
    public void start() {
      thread.start();
    }

    private void run() {
      TestPublisher publisher = null;
      while (!stopping) {
        try {
          publisher = publisher == null ? publisher() : publisher;
          publisher.text(topic, String.valueOf(++sent));
        } catch (JMSException e) { // the broker fails
          closeQuietly(publisher);
          publisher = null;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
      closeQuietly(publisher);
    }

    private TestPublisher publisher() throws JMSException {
      return new TestPublisher("artemis", broker.url());
    }

    private static void closeQuietly(TestPublisher publisher) {
      try {
        if (publisher != null) {
          publisher.close();
        }
      } catch (JMSException e) {
        // its broker is gone
      }
    }

    /** Waits until some messages were sent since now. */
    void awaitMore(int messages) {
      int until = sent + messages;
      await().atMost(LONG).until(() -> sent >= until);
    }

    @Override
    public List<String> awaitStored() throws InterruptedException {
      stopping = true;
      thread.join();
      stored = sent;
      return IntStream.rangeClosed(1, sent).mapToObj("%012x0000"::formatted).toList();
    }

    @Override
    public int stored() {
      return stored;
    }

    @Override
    public void stop() {
      stopping = true;
    }
  }

  private static void awaitLeaves() {
    leaves.forEach(NodeProcess::awaitReady);
  }

  /** Lets the links of a leaf fail in each way. */
  private static void failLinks(int leaf, Numbers flow) {
    List<Switchboard> of = links.get(leaf);
    of.forEach(Switchboard::cut);
    flow.awaitMore(20);
    of.forEach(Switchboard::pause);
    leaves.get(leaf).awaitUnready();
    of.forEach(Switchboard::resume);
    of.forEach(link -> link.bytesPerSecond(SLOW_BYTES_PER_SECOND));
    flow.awaitMore(100);
    of.forEach(link -> link.bytesPerSecond(0));
    awaitLeaves();
  }

  private static void killLeaf(int number) {
    leaves.get(number).kill();
    leaves.get(number).restart();
  }

  private void failExceptForRestarts(NodeProcess root, int leaf, Numbers flow) {
    failLinks(leaf, flow);
    NodeProcess next = leaves.get((leaf + 1) % LEAVES);
    next.pause();
    flow.awaitMore(100);
    next.resume();
    next.throttle(() -> flow.awaitMore(100));
    killLeaf((leaf + 2) % LEAVES);
    root.pause();
    leaves.get(leaf).awaitUnready();
    root.resume();
    awaitLeaves();
    root.throttle(() -> flow.awaitMore(100));
    broker.pause();
    awaitConnects(50); // shorter than any timeout
    broker.resume();
    flow.awaitMore(50);
    broker.throttle(() -> flow.awaitMore(100));
  }

  private void moveBetweenLeavesOfOneRoot(int root, int clients, int... failing) throws Exception {
    String topic = "root." + root + "." + clients;
    int other = 1 - root;
    List<Switchboard> toOther = links.stream().map(each -> each.get(other)).toList();
    toOther.forEach(Switchboard::removeAll);
    toOther.forEach(Switchboard::cut);
    awaitLeaves();
    Numbers flow = new Numbers(topic);
    try {
      ClientMoves.assertExact(
          entrances,
          topic,
          clients,
          maxStayMs(clients),
          flow,
          () ->
              IntStream.of(failing)
                  .forEach(leaf -> failExceptForRestarts(roots.get(root), leaf, flow)));
    } finally {
      toOther.forEach(link -> link.add("127.0.0.1", LINK_PORTS.get(other)));
    }
  }

  @Test
  void shouldLoseAndDoubleNothingBetweenLeavesOfOneRoot() throws Exception {
    moveBetweenLeavesOfOneRoot(WITHOUT_GROUP, 24, 0);
  }

  @Tag("full")
  @Test
  void shouldLoseAndDoubleNothingForManyClientsOfOneRoot() throws Exception {
    moveBetweenLeavesOfOneRoot(WITHOUT_GROUP, MANY, 0, 1, 2, 3);
  }

  @Tag("full")
  @Test
  void shouldLoseAndDoubleNothingByMulticast() throws Exception {
    moveBetweenLeavesOfOneRoot(WITH_GROUP, 24, 0, 1);
    assertThat(leaves).allMatch(each -> each.metric("sluice_link_multicast_received_total") > 0);
  }

  /**
   * Numbers follow one another except after a notice. Another connection may repeat some, and so
   * may another root that is behind.
   */
  private final class Noticed implements MovingClient.Rules {
    private final Numbers flow;
    private int last;
    private boolean noticed = true;

    Noticed(Numbers flow) {
      this.flow = flow;
    }

    @Override
    public void onMessage(String id, String text) {
      int number = Integer.parseInt(text);
      boolean follows = noticed ? number > last - MAX_SKEW : number == last + 1;
      if (!follows) {
        problems.add(number + " after " + last + (noticed ? " and a notice" : ""));
      }
      last = number;
      noticed = false;
    }

    @Override
    public void onNotice(String frame, boolean repeats) {
      noticed = true;
      last = repeats ? 0 : last;
    }

    @Override
    public boolean isComplete() {
      return !problems.isEmpty() || flow.stored() >= 0 && last >= flow.stored();
    }
  }

  private void failRootsAndBroker(Numbers flow) {
    roots.get(0).kill();
    awaitLeaves();
    flow.awaitMore(50);
    roots.get(0).restart();
    roots.get(1).pause();
    awaitLeavesOf(0);
    flow.awaitMore(50);
    roots.get(1).resume();
    roots.get(0).throttle(() -> flow.awaitMore(100));
    broker.kill();
    broker.restart();
    flow.awaitMore(50);
    broker.pause();
    roots.forEach(NodeProcess::awaitUnready);
    broker.resume();
    killLeaf(2);
    awaitLeaves();
    flow.awaitMore(50);
  }

  private void awaitLeavesOf(int root) {
    await().atMost(LONG).until(() -> !problems.isEmpty() || isUsed(roots.get(root)));
    awaitLeaves();
  }

  private static boolean isUsed(NodeProcess root) {
    return root.metric("sluice_interests") > 0;
  }

  private void moveBetweenLeavesOfBothRoots(int clients) throws Exception {
    String topic = "two.roots." + clients;
    awaitLeaves();
    Numbers flow = new Numbers(topic);
    List<Noticed> received = Stream.generate(() -> new Noticed(flow)).limit(clients).toList();
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<MovingClient> moving =
          IntStream.range(0, clients)
              .mapToObj(
                  i -> new MovingClient(entrances, topic, i, received.get(i), stayMs(i, clients)))
              .toList();
      List<CompletableFuture<Void>> ends =
          moving.stream().map(each -> CompletableFuture.runAsync(each, threads)).toList();
      for (MovingClient each : moving) {
        each.awaitFirst();
      }
      flow.start();
      flow.awaitMore(50);
      failRootsAndBroker(flow);
      flow.awaitStored();
      ClientMoves.awaitAll(ends);
    } finally {
      flow.stop();
      threads.shutdownNow();
    }
    assertThat(problems).isEmpty();
  }

  /** Some clients stay while their leaf changes its root. */
  private static int stayMs(int client, int clients) {
    return client % 3 == 0 ? 100 * MAX_STAY_MS : maxStayMs(clients);
  }

  private static int maxStayMs(int clients) {
    return clients < MANY ? MAX_STAY_MS : MAX_STAY_OF_MANY_MS;
  }

  @Test
  void shouldReportWhatMayBeMissingWhileRootsAndBrokerFail() throws Exception {
    moveBetweenLeavesOfBothRoots(24);
  }

  @Tag("full")
  @Test
  void shouldReportWhatMayBeMissingToManyClients() throws Exception {
    moveBetweenLeavesOfBothRoots(MANY);
  }
}
