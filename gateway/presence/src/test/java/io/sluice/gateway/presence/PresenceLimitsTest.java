package io.sluice.gateway.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.presence.PresenceMember;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Limits of the state, beyond their edges. */
class PresenceLimitsTest {
  private static final PresenceOptions OPTIONS =
      new PresenceOptions("node", 3, 1_000, 500, 60_000, 2, 5, 1, 100);

  private static PresenceMember member(int number) {
    return new PresenceMember("id-" + number, "subject", "\"" + "x".repeat(1_000) + "\"");
  }

  @Test
  void shouldKeepAtMostTheConfiguredNumberOfAbsentMembers() {
    LocalMembers members = new LocalMembers(1_000, 2, topic -> {});
    IntStream.range(0, 3).forEach(i -> members.enter("room", member(i)));
    IntStream.range(0, 3).forEach(i -> members.leave("room", "id-" + i, false, 0));
    assertThat(members.count()).isEqualTo(2);
    members.expire(999);
    assertThat(members.count()).isEqualTo(2);
    members.expire(1_000);
    assertThat(members.count()).isZero();
  }

  @Test
  void shouldCountAMemberWithTwoConnectionsOnce() {
    LocalMembers members = new LocalMembers(1_000, 2, topic -> {});
    members.enter("room", member(1));
    members.enter("room", member(1));
    assertThat(members.count()).isEqualTo(1);
    members.leave("room", "id-1", true, 0);
    assertThat(members.count()).isEqualTo(1);
    members.leave("room", "id-1", true, 0);
    members.leave("room", "id-1", true, 0);
    assertThat(members.count()).isZero();
  }

  /** Node with one other node. */
  private static final class Node {
    private final List<byte[]> sent = new ArrayList<>();
    private final PresenceTable table;

    Node(PresenceOptions options) {
      PresenceTable.Listener listener =
          new PresenceTable.Listener() {
            @Override
            public void onChange(String topic) {}

            @Override
            public void onPartial() {}
          };
      table = new PresenceTable(options, true, (to, message) -> sent.add(message), listener);
      table.onView(List.of("other"), 0);
    }

    void receive(Node from) throws IOException {
      for (byte[] message : from.sent) {
        assertThat(message.length).isLessThan(15 * 1024);
        table.onMessage("other", message, 0);
      }
      from.sent.clear();
    }
  }

  /** Ticks, so that the copy receives changes. */
  private static void tick(Node owner, Node copy, long nowMs) throws IOException {
    copy.receive(owner);
    owner.receive(copy);
    owner.table.onTick(nowMs);
    copy.receive(owner);
  }

  @Test
  void shouldSplitLargeChangesIntoMessages() throws Exception {
    PresenceOptions options = new PresenceOptions("node", 50, 1_000, 500, 60_000, 100, 100, 1, 100);
    Node owner = new Node(options);
    Node copy = new Node(options);
    tick(owner, copy, 0);
    IntStream.range(0, 50).forEach(i -> owner.table.enter("room", member(i)));
    tick(owner, copy, 50);
    assertThat(copy.table.view("room").members()).hasSize(50);
    owner.table.enter("room", member(50));
    owner.table.onTick(550);
    assertThat(owner.sent).hasSize(1);
    copy.receive(owner);
    assertThat(copy.table.view("room").count()).isEqualTo(51);
    assertThat(copy.table.view("room").isTruncated()).isTrue();
    owner.table.leave("room", "id-0", true, 600);
    tick(owner, copy, 1_050);
    assertThat(copy.table.view("room").count()).isEqualTo(50);
    tick(owner, copy, 1_550);
    assertThat(copy.table.view("room").members()).hasSize(50);
  }

  @Test
  void shouldShowAllMembersAfterEachMessageOfASwitch() throws Exception {
    PresenceOptions options = new PresenceOptions("node", 50, 1_000, 500, 60_000, 100, 100, 1, 100);
    Node owner = new Node(options);
    Node copy = new Node(options);
    tick(owner, copy, 0);
    IntStream.range(0, 50).forEach(i -> owner.table.enter("room", member(i)));
    tick(owner, copy, 50);
    IntStream.range(0, 20).forEach(i -> owner.table.enter("lobby", member(i)));
    owner.table.enter("room", member(50));
    for (long nowMs = 550; nowMs <= 2_500; nowMs += PresenceTable.TICK_MS) {
      owner.table.onTick(nowMs);
      for (byte[] message : owner.sent) {
        copy.table.onMessage("other", message, nowMs);
        assertThat(copy.table.view("room").count()).as("at " + nowMs).isGreaterThanOrEqualTo(50);
      }
      owner.sent.clear();
      if (nowMs == 1_500) {
        assertThat(copy.table.view("room").count()).isEqualTo(51);
        owner.table.leave("room", "id-0", true, nowMs);
      }
    }
    assertThat(copy.table.view("room").members()).hasSize(50);
  }

  @Test
  void shouldBoundTheCopyOfAnotherNode() throws Exception {
    Node owner = new Node(new PresenceOptions("node", 10, 1_000, 500, 60_000, 2, 10, 1, 100));
    Node copy = new Node(OPTIONS);
    tick(owner, copy, 0);
    assertThat(copy.table.view("room").partial()).isFalse();
    IntStream.range(0, 5).forEach(i -> owner.table.enter("room", member(i)));
    tick(owner, copy, 50);
    // Five entries, with the name of the owner; four members exceed the limit of a list.
    assertThat(copy.table.view("room").count()).isEqualTo(4);
    assertThat(copy.table.view("room").isTruncated()).isTrue();
    assertThat(copy.table.view("room").partial()).isTrue();
  }

  @Test
  void shouldReplicateMembersOnceThereIsRoom() throws Exception {
    Node owner = new Node(new PresenceOptions("node", 10, 0, 500, 60_000, 2, 3, 1, 100));
    Node copy = new Node(OPTIONS);
    tick(owner, copy, 0);
    IntStream.range(0, 3).forEach(i -> owner.table.enter("room", member(i)));
    tick(owner, copy, 50); // two members and the name of the owner
    assertThat(copy.table.view("room").count()).isEqualTo(2);
    assertThat(copy.table.view("room").partial()).isTrue();
    owner.table.leave("room", "id-0", true, 100);
    owner.table.leave("room", "id-1", true, 100);
    tick(owner, copy, 550);
    tick(owner, copy, 1_050);
    assertThat(copy.table.view("room").members()).containsExactly(member(2));
    assertThat(copy.table.view("room").partial()).isFalse();
  }
}
