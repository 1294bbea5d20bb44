package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.Switchboard;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that move between the leaves of two roots while parts of the tree fail in turn. */
@Timeout(600)
final class TierFailuresIT {
  private static final int ROOTS = 2;
  private static final int LEAVES = 4;
  private static final int MAX_STAY_MS = 300;

  /** Messages by which one root may be behind the other. */
  private static final int MAX_SKEW = 30;

  private static final Duration LONG = Duration.ofMinutes(2);

  /** A silent link is lost within seconds. */
  private static final Duration LINK_TIMEOUT = Duration.ofSeconds(2);

  private ArtemisProcess broker;
  private final List<TestNode> roots = new ArrayList<>();

  /** By leaf, then by root. */
  private final List<List<Switchboard>> links = new ArrayList<>();

  private final List<TestNode> leaves = new CopyOnWriteArrayList<>();

  /** First message that each client lacks or has twice without a notice. */
  private final List<String> problems = new CopyOnWriteArrayList<>();

  @BeforeEach
  void start() {
    broker = ArtemisProcess.start();
    for (int i = 0; i < ROOTS; i++) {
      roots.add(TestNode.start(root(0)));
    }
    roots.forEach(TestNode::awaitReady);
    for (int i = 0; i < LEAVES; i++) {
      links.add(roots.stream().map(TierFailuresIT::link).toList());
      leaves.add(TestNode.start(leaf(i)));
    }
    leaves.forEach(TestNode::awaitReady);
  }

  private static Switchboard link(TestNode root) {
    Switchboard link = new Switchboard();
    link.add("127.0.0.1", root.gateway().linkPort());
    return link;
  }

  @AfterEach
  void stop() {
    links.stream().flatMap(List::stream).forEach(Switchboard::close);
    leaves.forEach(TestNode::close);
    roots.forEach(TestNode::close);
    broker.close();
  }

  private Config root(int port) {
    return TestNode.unlimited(TestNode.config("artemis", broker.url()))
        .with(BrokerSettings.LINGER, Duration.ofMinutes(1))
        .with(LinkSettings.PORT, port)
        .with(LinkSettings.SUBSCRIBE, List.of(">"));
  }

  /** Prefers the root with the parity of its number. */
  private Config leaf(int number) {
    List<String> urls = links.get(number).stream().map(link -> "ws://" + link.address()).toList();
    return TestNode.unlimited(TestNode.config("artemis", ""))
        .with(BrokerSettings.CANARY_TIMEOUT, LINK_TIMEOUT)
        .with(
            LinkSettings.ROOTS, List.of(urls.get(number % ROOTS), urls.get((number + 1) % ROOTS)));
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
      return IntStream.rangeClosed(1, sent).mapToObj("%016x"::formatted).toList();
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

  /** Kills a leaf, and starts another one in its place. */
  private void restartLeaf(int number) {
    leaves.get(number).close();
    TestNode started = TestNode.start(leaf(number));
    started.awaitReady();
    leaves.set(number, started);
  }

  private void awaitLeaves() {
    leaves.forEach(TestNode::awaitReady);
  }

  /** Lets the links of a leaf fail in each way. */
  private void failLinks(int leaf, Numbers flow) {
    List<Switchboard> of = links.get(leaf);
    of.forEach(Switchboard::cut);
    flow.awaitMore(20);
    of.forEach(Switchboard::pause); // until the leaf notices it
    await().atMost(LONG).until(() -> leaves.get(leaf).admin("/health/ready").statusCode() != 200);
    of.forEach(Switchboard::resume);
    of.forEach(link -> link.bytesPerSecond(4_000));
    flow.awaitMore(100);
    of.forEach(link -> link.bytesPerSecond(0));
    awaitLeaves();
  }

  private void moveBetweenLeavesOfOneRoot(int clients) throws Exception {
    List<Switchboard> toSecond = links.stream().map(each -> each.get(1)).toList();
    toSecond.forEach(Switchboard::removeAll);
    toSecond.forEach(Switchboard::cut);
    awaitLeaves();
    Numbers flow = new Numbers("one.root");
    ClientMoves.assertExact(
        leaves,
        "one.root",
        clients,
        MAX_STAY_MS,
        flow,
        () -> {
          for (int leaf = 0; leaf < LEAVES; leaf++) {
            failLinks(leaf, flow);
          }
          restartLeaf(1);
          flow.awaitMore(50);
        });
  }

  @Test
  void shouldLoseAndDoubleNothingBetweenLeavesOfOneRoot() throws Exception {
    moveBetweenLeavesOfOneRoot(30);
  }

  @Tag("full")
  @Test
  void shouldLoseAndDoubleNothingForManyClientsOfOneRoot() throws Exception {
    moveBetweenLeavesOfOneRoot(150);
  }

  /**
   * Numbers follow one another except after a notice. Another connection may repeat some, and so
   * may another root that is a little behind.
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

  private void failRootsAndBroker(Numbers flow) throws Exception {
    int port = roots.get(0).gateway().linkPort();
    roots.get(0).close();
    awaitLeaves();
    flow.awaitMore(50);
    roots.set(0, TestNode.start(root(port)));
    roots.get(0).awaitReady();
    links.forEach(each -> each.get(1).pause()); // the other root seems to hang
    awaitLeavesOf(0);
    flow.awaitMore(50);
    links.forEach(each -> each.get(1).resume());
    links.forEach(each -> each.get(0).bytesPerSecond(4_000));
    flow.awaitMore(100);
    links.forEach(each -> each.get(0).bytesPerSecond(0));
    broker.kill();
    broker.restart();
    flow.awaitMore(50);
    broker.pause();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300)); // shorter than any timeout
    broker.resume();
    restartLeaf(2);
    awaitLeaves();
    flow.awaitMore(50);
  }

  private void awaitLeavesOf(int root) {
    await().atMost(LONG).until(() -> !problems.isEmpty() || isUsed(roots.get(root)) && areReady());
  }

  private static boolean isUsed(TestNode root) {
    return root.metric("sluice_interests") > 0;
  }

  private boolean areReady() {
    return leaves.stream().allMatch(each -> each.admin("/health/ready").statusCode() == 200);
  }

  private void moveBetweenLeavesOfBothRoots(int clients) throws Exception {
    Numbers flow = new Numbers("two.roots");
    List<Noticed> received = Stream.generate(() -> new Noticed(flow)).limit(clients).toList();
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<MovingClient> moving =
          IntStream.range(0, clients)
              .mapToObj(
                  i -> new MovingClient(leaves, "two.roots", i, received.get(i), maxStayMs(i)))
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
  private static int maxStayMs(int client) {
    return client % 3 == 0 ? 100 * MAX_STAY_MS : MAX_STAY_MS;
  }

  @Test
  void shouldReportWhatMayBeMissingWhileRootsAndBrokerFail() throws Exception {
    moveBetweenLeavesOfBothRoots(30);
  }

  @Tag("full")
  @Test
  void shouldReportWhatMayBeMissingToManyClients() throws Exception {
    moveBetweenLeavesOfBothRoots(150);
  }
}
