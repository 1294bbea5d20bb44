package io.sluice.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jgroups.Address;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Test;

/** Test of replicated topics, in virtual time over a simulated network. */
final class ActiveTopicsTest {
  private static final int MOST = 10_000;
  private static final long TIMEOUT_MS = 10_000;
  private static final long TICKS_PER_DIGEST = 60_000 / ActiveTopics.TICK_MS + 1;

  private final List<Peer> peers = new ArrayList<>();
  private final Random random = new Random();
  private long nowMs;

  /** Probability of the loss of a message. */
  private double loss;

  /** True if messages are reordered. */
  private boolean reorders;

  /** Node whose messages are lost. */
  private Peer mute;

  private record Sent(Peer from, Peer to, byte[] message) {}

  private final Deque<Sent> wire = new ArrayDeque<>();
  private int sent;

  private final class Peer {
    final Address address = UUID.randomUUID();
    final MemberTable membership = new MemberTable(Nodes.node(address.toString()));
    final ActiveTopics topics;
    List<String> inUse = List.of();

    Peer(int most) {
      topics = new ActiveTopics(membership, () -> inUse, most, this::send, () -> nowMs);
      peers.add(this);
      peers.forEach(Peer::view);
    }

    void view() {
      List<Address> others =
          peers.stream().filter(peer -> peer != this).map(peer -> peer.address).toList();
      membership.onView(others);
      topics.onView(others);
    }

    /** Notifies the others of this node's state. */
    void announce(NodeState state) {
      Node node = Nodes.node(address.toString()).in(state, 0);
      peers.forEach(peer -> peer.membership.onStatus(address, new Status(node, nowMs + 1)));
    }

    CompletableFuture<List<String>> request(int limit) {
      CompletableFuture<List<String>> answer = new CompletableFuture<>();
      topics.request(limit, TIMEOUT_MS, answer);
      return answer;
    }

    private void send(Object to, byte[] message) {
      for (Peer peer : peers) {
        if (peer.address.equals(to)) {
          assertThat(message).hasSizeLessThan(Exchange.MAX_BYTES);
          wire.add(new Sent(this, peer, message));
          sent++;
        }
      }
    }

    Set<String> seen() {
      return new HashSet<>(topics.ofOthers().names());
    }
  }

  private void leave(Peer peer) {
    peers.remove(peer);
    peers.forEach(Peer::view);
  }

  private void tick(int times) throws IOException {
    for (int i = 0; i < times; i++) {
      nowMs += ActiveTopics.TICK_MS;
      for (Peer peer : peers) {
        peer.topics.onTick();
      }
      deliver();
    }
  }

  private void deliver() throws IOException {
    while (!wire.isEmpty()) {
      List<Sent> batch = new ArrayList<>(wire);
      wire.clear();
      if (reorders) {
        Collections.shuffle(batch, random);
      }
      for (Sent next : batch) {
        if (peers.contains(next.to) && next.from != mute && random.nextDouble() >= loss) {
          deliver(next);
        }
      }
    }
  }

  private static void deliver(Sent sent) throws IOException {
    sent.to.topics.onMessage(sent.from.address, sent.message);
  }

  private static List<String> names(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
  }

  @Test
  void shouldShareChangesWithTheNextTicks() throws Exception {
    Peer one = new Peer(MOST);
    Peer other = new Peer(MOST);
    one.inUse = List.of("a", "b");
    tick(2);
    assertThat(other.topics.ofOthers().names()).containsExactly("a", "b");
    one.inUse = List.of("b", "c");
    tick(2);
    assertThat(other.seen()).containsExactlyInAnyOrder("b", "c");
    assertThat(one.seen()).isEmpty();
  }

  @Test
  void shouldNotSendTenThousandTopicsAtOnce() throws Exception {
    Peer one = new Peer(MOST);
    Peer other = new Peer(MOST);
    one.inUse = names("user.", MOST);
    int most = 0;
    while (other.seen().size() < MOST) {
      int before = sent;
      tick(1);
      most = Math.max(most, sent - before);
    }
    assertThat(most).isEqualTo(1);
    assertThat(nowMs).isLessThan(10_000);
    Peer late = new Peer(MOST);
    while (late.seen().size() < MOST) {
      int before = sent;
      tick(1);
      most = Math.max(most, sent - before);
    }
    assertThat(most).as("a request among them").isLessThanOrEqualTo(5);
  }

  @Test
  void shouldSendNothingButADigestWhileNothingChanges() throws Exception {
    Peer one = new Peer(MOST);
    Peer other = new Peer(MOST);
    one.inUse = List.of("a");
    tick(2);
    int before = sent;
    tick((int) (10 * TICKS_PER_DIGEST));
    assertThat(sent - before).isBetween(9, 10);
    assertThat(other.seen()).containsExactly("a");
  }

  @Test
  void shouldRemoveTheTopicsOfANodeThatHasLeft() throws Exception {
    Peer one = new Peer(MOST);
    Peer other = new Peer(MOST);
    Peer third = new Peer(MOST);
    one.inUse = List.of("a", "b");
    third.inUse = List.of("b", "c");
    tick(2);
    assertThat(other.seen()).containsExactlyInAnyOrder("a", "b", "c");
    third.inUse = List.of("late");
    third.topics.onTick();
    leave(third);
    tick(1);
    assertThat(other.seen()).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void shouldCountNamesBeyondTheLimit() throws Exception {
    Peer one = new Peer(5);
    Peer other = new Peer(5);
    Peer third = new Peer(5);
    one.inUse = names("a.", 8);
    other.inUse = names("b.", 5);
    tick(3);
    assertThat(one.topics.ofOthers().leftOut()).as("its own").isEqualTo(3);
    assertThat(third.topics.ofOthers().names()).hasSize(5);
    assertThat(third.topics.ofOthers().leftOut()).isEqualTo(5);
  }

  @Test
  void shouldExcludeNamesThatAreTooLong() throws Exception {
    Peer one = new Peer(MOST);
    Peer other = new Peer(MOST);
    one.inUse = List.of("x".repeat(ActiveTopics.MAX_TOPIC_BYTES + 1), "a");
    tick(2);
    assertThat(other.seen()).containsExactly("a");
    assertThat(one.topics.ofOthers().leftOut()).isEqualTo(1);
  }

  @Test
  void shouldAnswerOnceTheNamesOfAllNodesAreKnown() throws Exception {
    Peer one = new Peer(MOST);
    Peer other = new Peer(MOST);
    one.inUse = List.of("a", "b");
    other.inUse = List.of("b", "c");
    tick(5);
    Peer joiner = new Peer(MOST);
    CompletableFuture<List<String>> answer = joiner.request(9);
    CompletableFuture<List<String>> two = joiner.request(2);
    one.announce(NodeState.UP);
    tick(10);
    assertThat(answer).as("a status is missing").isNotDone();
    assertThat(two.get()).hasSize(2);
    other.announce(NodeState.JOINING);
    tick(1);
    assertThat(answer.get()).containsExactlyInAnyOrder("a", "b", "c");
  }

  @Test
  void shouldSendTheNamesOfTheTimeOfTheFirstView() throws Exception {
    Peer one = new Peer(MOST);
    one.inUse = List.of("a");
    Peer joiner = new Peer(MOST);
    one.announce(NodeState.UP);
    CompletableFuture<List<String>> answer = joiner.request(9);
    tick(3);
    assertThat(answer.get()).containsExactly("a");
  }

  @Test
  void shouldAnswerWithTheNamesOfANodeThatIsUpAfterHalfOfTheTimeout() throws Exception {
    Peer one = new Peer(MOST);
    mute = new Peer(MOST);
    one.inUse = List.of("a");
    mute.inUse = List.of("b");
    Peer joiner = new Peer(MOST);
    one.announce(NodeState.UP);
    mute.announce(NodeState.UP);
    CompletableFuture<List<String>> answer = joiner.request(9);
    tick((int) (TIMEOUT_MS / 2 / ActiveTopics.TICK_MS) - 1);
    assertThat(answer).isNotDone();
    tick(1);
    assertThat(answer.get()).containsExactly("a");
  }

  @Test
  void shouldFailIfNoNodeThatIsUpAnswers() throws Exception {
    Peer one = new Peer(MOST);
    mute = new Peer(MOST);
    one.inUse = List.of("a");
    Peer joiner = new Peer(MOST);
    one.announce(NodeState.JOINING);
    mute.announce(NodeState.UP);
    List<CompletableFuture<List<String>>> answers = new ArrayList<>();
    for (int i = 0; i < 17; i++) {
      answers.add(joiner.request(9));
    }
    assertThat(answers.get(16)).as("too many").isCompletedExceptionally();
    tick((int) (TIMEOUT_MS / ActiveTopics.TICK_MS) - 1);
    assertThat(answers.get(15)).isNotDone();
    tick(1);
    assertThat(answers.get(15))
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withMessageContaining("1 of 2 nodes");
  }

  @Test
  void shouldConvergeDespiteLossAndReordering() throws Exception {
    long seed = new Random().nextLong();
    random.setSeed(seed);
    for (int round = 0; round < 5; round++) {
      peers.clear();
      wire.clear();
      nowMs = 0;
      churn(seed);
    }
  }

  private void churn(long seed) throws IOException {
    for (int i = 0; i < 3; i++) {
      new Peer(MOST);
    }
    loss = 0.3;
    reorders = true;
    for (int step = 0; step < 60; step++) {
      Peer peer = peers.get(random.nextInt(peers.size()));
      peer.inUse = some();
      tick(random.nextInt(20));
      if (random.nextInt(50) == 0) {
        new Peer(MOST);
      }
    }
    loss = 0;
    reorders = false;
    List<Set<String>> own = new ArrayList<>();
    for (Peer peer : peers) {
      Set<String> names = new HashSet<>(some());
      own.add(names);
      peer.inUse = List.copyOf(names);
    }
    tick((int) (2 * TICKS_PER_DIGEST));
    for (Peer peer : peers) {
      Set<String> others = new HashSet<>();
      for (int i = 0; i < own.size(); i++) {
        if (peers.get(i) != peer) {
          others.addAll(own.get(i));
        }
      }
      assertThat(peer.seen()).as("seed %d", seed).isEqualTo(others);
    }
  }

  private List<String> some() {
    int count = random.nextInt(600);
    int first = random.nextInt(400);
    return IntStream.range(first, first + count).mapToObj(i -> "topic." + i).toList();
  }
}
