package io.sluice.cluster.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cluster.replica.ReplicaWorld.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ReplicatedMapTest {
  private static final ReplicatedMap.Options OPTIONS =
      new ReplicatedMap.Options(ReplicaWorld.CHANNEL, 40, 1, 2, 60_000);

  private final Endpoint owner = new Endpoint();
  private final Endpoint copy = new Endpoint();

  /** Map that stores its messages, and notes the events of its listener. */
  private static final class Endpoint implements ReplicatedMap.Listener<String, Version> {
    final Queue<byte[]> sent = new ArrayDeque<>();
    final List<String> events = new ArrayList<>();
    final ReplicatedMap<String, Version> map =
        new ReplicatedMap<>(
            OPTIONS, new ReplicaWorld.Codec(700), (peer, message) -> sent.add(message), this);

    @Override
    public void onChange(Object peer, String key, Version value) {
      events.add(value == null ? "-" + key : key + "=" + value.number());
    }

    @Override
    public void onGone(Object peer, NavigableMap<String, Version> entries, boolean announced) {
      events.add("gone with " + entries.size() + (announced ? ", announced" : ""));
    }

    @Override
    public void onRequest(Object peer) {
      events.add("requested");
    }

    void receive(Endpoint from, int messages, long nowMs) throws IOException {
      for (int i = 0; i < messages; i++) {
        map.onMessage(from, from.sent.remove(), nowMs);
      }
    }
  }

  private void meet() throws IOException {
    owner.map.onView(List.of(copy), 0);
    copy.map.onView(List.of(owner), 0);
    copy.receive(owner, 1, 0);
    owner.receive(copy, copy.sent.size(), 0);
  }

  @Test
  void shouldSendChangesWithTheNextTick() throws Exception {
    meet();
    assertThat(copy.map.isCurrent(owner)).isTrue();
    owner.map.put("a", new Version(1));
    owner.map.put("b", new Version(2));
    owner.map.remove("b");
    assertThat(owner.sent).isEmpty();
    owner.map.onTick(50);
    copy.receive(owner, 1, 50);
    owner.map.remove("a");
    owner.map.onTick(100);
    copy.receive(owner, 1, 100);
    assertThat(copy.events).containsExactly("a=1", "-a");
  }

  @Test
  void shouldSendWaitingChangesWhenANodeJoins() throws Exception {
    meet();
    owner.map.put("a", new Version(1));
    owner.map.onView(List.of(copy, new Endpoint()), 50);
    assertThat(owner.map.hasUnsent()).isFalse();
    copy.receive(owner, 1, 50);
    assertThat(copy.events).containsExactly("a=1");
  }

  @Test
  void shouldSendNothingForAnEqualValue() throws Exception {
    meet();
    owner.map.put("a", new Version(1));
    owner.map.onTick(50);
    owner.map.remove("a");
    owner.map.put("a", new Version(1));
    assertThat(owner.map.hasUnsent()).isFalse();
  }

  @Test
  void shouldPaceChangesAndParts() throws Exception {
    meet();
    for (int i = 0; i < 40; i++) {
      owner.map.put("key." + i, new Version(i + 1)); // four messages
    }
    for (int i = 0; i < 4; i++) {
      owner.map.onTick(50 * i);
      assertThat(owner.sent).hasSize(1);
      owner.sent.clear(); // lost
    }
    assertThat(owner.map.hasUnsent()).isFalse();
    owner.map.onTick(70_000);
    copy.receive(owner, 1, 70_000);
    assertThat(copy.map.isCurrent(owner)).isFalse();
    owner.receive(copy, 1, 70_000);
    assertThat(owner.events).containsExactly("requested");
    owner.map.onTick(70_050);
    copy.receive(owner, 2, 70_050);
    assertThat(owner.sent).isEmpty();
    owner.map.onTick(70_100);
    copy.receive(owner, 2, 70_100);
    assertThat(copy.map.of(owner)).hasSize(40).isEqualTo(owner.map.own());
    assertThat(copy.map.isCurrent(owner)).isTrue();
  }

  @Test
  void shouldRejectEntriesBeyondTheLimits() {
    for (int i = 0; i < 40; i++) {
      assertThat(owner.map.put("key." + i, new Version(1))).isTrue();
    }
    assertThat(owner.map.put("key.40", new Version(1))).isFalse();
    assertThat(owner.map.put("key.39", new Version(2))).isTrue();
    owner.map.remove("key.0");
    assertThat(owner.map.put("key.40", new Version(1))).isTrue();
    String large = "x".repeat(ReplicatedMap.MAX_ENTRY_BYTES);
    owner.map.remove("key.1");
    assertThat(owner.map.put(large, new Version(1))).isFalse();
  }

  @Test
  void shouldSendALargeEntryAlone() throws Exception {
    meet();
    String large = "y".repeat(12 * 1024);
    owner.map.put("a", new Version(1));
    owner.map.put(large, new Version(2));
    owner.map.onTick(50);
    owner.map.onTick(100);
    copy.receive(owner, 2, 100);
    assertThat(copy.map.of(owner)).containsKeys("a", large);
  }

  @Test
  void shouldRequestTheEntriesOfASilentNode() {
    copy.map.onView(List.of(owner), 0);
    copy.sent.clear();
    copy.map.onTick(950);
    assertThat(copy.sent).isEmpty();
    copy.map.onTick(1_000);
    assertThat(copy.sent).hasSize(1);
    copy.map.onTick(5_950);
    assertThat(copy.sent).hasSize(1);
    copy.map.onTick(6_000);
    assertThat(copy.sent).hasSize(2);
  }

  @Test
  void shouldCopyABoundedNumberOfOwners() {
    copy.map.onView(Stream.generate(Endpoint::new).limit(300).toList(), 0);
    copy.sent.clear();
    copy.map.onTick(1_000);
    assertThat(copy.sent).hasSize(ReplicatedMap.MAX_OWNERS);
  }

  @Test
  void shouldNotReplaceAValueByAnOlderOne() throws Exception {
    meet();
    owner.map.put("a", new Version(1));
    owner.map.onTick(50);
    byte[] first = owner.sent.remove();
    owner.map.put("a", new Version(2));
    owner.map.onTick(100);
    byte[] second = owner.sent.remove();
    copy.map.onMessage(owner, second, 100); // overtakes the first one
    copy.map.onMessage(owner, first, 100);
    copy.map.onMessage(owner, second, 100);
    assertThat(copy.events).isEmpty();
    owner.receive(copy, 1, 100);
    owner.map.onTick(150);
    byte[] part = owner.sent.remove();
    copy.map.onMessage(owner, part, 150);
    owner.map.put("a", new Version(3));
    owner.map.onTick(200);
    copy.receive(owner, 1, 200);
    for (byte[] duplicate : List.of(first, second, part)) {
      copy.map.onMessage(owner, duplicate, 200);
    }
    assertThat(copy.events).containsExactly("a=2", "a=3");
    assertThat(copy.map.isCurrent(owner)).isTrue();
  }

  @Test
  void shouldRequestAgainIfAChangeIsLostBetweenParts() throws Exception {
    meet();
    for (int i = 10; i < 40; i++) {
      owner.map.put("key." + i, new Version(i)); // three messages
    }
    for (int i = 0; i < 3; i++) {
      owner.map.onTick(50 * i);
    }
    owner.sent.remove(); // lost
    copy.receive(owner, 2, 150);
    owner.receive(copy, 1, 150);
    owner.map.onTick(200);
    copy.receive(owner, 2, 200);
    owner.map.put("key.10", new Version(100));
    owner.map.onTick(250);
    owner.sent.remove(); // lost
    copy.receive(owner, owner.sent.size(), 250);
    assertThat(copy.map.isCurrent(owner)).isFalse();
    owner.receive(copy, 1, 250);
    owner.map.onTick(300);
    owner.map.onTick(350);
    copy.receive(owner, owner.sent.size(), 350);
    assertThat(copy.map.isCurrent(owner)).isTrue();
    assertThat(copy.map.of(owner)).isEqualTo(owner.map.own());
  }

  @Test
  void shouldSendAllEntriesOfItsSoloTimeToTheFirstOtherNode() throws Exception {
    for (int i = 0; i < 40; i++) {
      owner.map.put("key." + i, new Version(i)); // four messages
    }
    meet(); // the digest has them
    owner.map.onTick(50);
    owner.map.onTick(100);
    copy.receive(owner, owner.sent.size(), 100);
    assertThat(copy.map.of(owner)).hasSize(40);
    assertThat(copy.map.isCurrent(owner)).isTrue();
    owner.map.onTick(100_000);
    assertThat(owner.sent).as("no digest: no change could be missed").isEmpty();
  }

  @Test
  void shouldReportHowANodeHasGone() throws Exception {
    meet();
    owner.map.put("a", new Version(1));
    owner.map.onTick(50);
    owner.map.leave();
    copy.receive(owner, 2, 50);
    copy.map.onView(List.of(), 100);
    assertThat(copy.events).containsExactly("a=1", "gone with 1, announced");
    assertThat(copy.map.of(owner)).isEmpty();
    copy.map.onView(List.of(owner), 200);
    copy.map.onView(List.of(), 300);
    assertThat(copy.events).last().isEqualTo("gone with 0");
  }

  @Test
  void shouldIgnoreOtherChannelsKindsAndSenders() throws Exception {
    meet();
    copy.map.onMessage(owner, new byte[] {ReplicaWorld.CHANNEL + 1, 1}, 0);
    copy.map.onMessage(owner, new byte[] {ReplicaWorld.CHANNEL, 99}, 0);
    owner.map.put("a", new Version(1));
    owner.map.onTick(50);
    copy.map.onMessage(new Endpoint(), owner.sent.remove(), 50);
    assertThat(copy.events).isEmpty();
  }

  @Test
  void shouldDecodeOrRejectAnyBytes() throws Exception {
    meet();
    owner.map.put("a", new Version(1));
    owner.map.put("ab", new Version(2));
    owner.map.onTick(50);
    byte[] whole = owner.sent.remove();
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = Arrays.copyOf(whole, 1 + random.nextInt(whole.length));
      for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
        bytes[random.nextInt(Math.min(bytes.length, 20))] = (byte) random.nextInt(5);
      }
      try {
        copy.map.onMessage(owner, bytes, 0);
      } catch (IOException e) {
        assertThat(e.getMessage()).as("seed %d", seed).startsWith(bytes.length + " bytes");
      }
    }
  }

  @Test
  void shouldReportWhyAMessageIsMalformed() {
    assertMalformed(new byte[] {ReplicaWorld.CHANNEL, 1, 0}, "3 bytes of replicated entries");
    assertMalformed(change(5, 0, 1, 0, 0, 'a'), "key of 5 and 1 bytes");
    assertMalformed(change(0, 0, 1, 0, 9, 'a'), "value of 9 bytes");
    assertMalformed(change(0, 0, 1, 0, 1, 'a', '?'), "NumberFormatException");
  }

  private static byte[] change(int... entry) {
    ByteBuffer out = ByteBuffer.allocate(22 + entry.length).put((byte) ReplicaWorld.CHANNEL);
    out.put((byte) ReplicaMessage.Kind.CHANGE.ordinal()).position(22);
    Arrays.stream(entry).forEach(each -> out.put((byte) each));
    return out.array();
  }

  private void assertMalformed(byte[] bytes, String what) {
    assertThatThrownBy(() -> copy.map.onMessage(owner, bytes, 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(what);
  }
}
