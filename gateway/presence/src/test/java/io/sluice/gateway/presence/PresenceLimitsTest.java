package io.sluice.gateway.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.presence.PresenceMember;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Limits of the state, beyond their edges. */
class PresenceLimitsTest {
  private static final PresenceOptions OPTIONS =
      new PresenceOptions("node", 3, 1_000, 500, 60_000, 2, 2, 1, 100);

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

  @Test
  void shouldSplitLargeChangesIntoMessages() throws Exception {
    List<PresenceMember> joined = IntStream.range(0, 50).mapToObj(i -> member(i)).toList();
    List<String> left = IntStream.range(0, 1_000).mapToObj(i -> "left-" + i).toList();
    PresenceParts parts = new PresenceParts();
    parts.add(new PresenceChange("room", 50, true, true, joined, left));
    List<PresenceMember> read = new ArrayList<>();
    List<String> gone = new ArrayList<>();
    int resets = 0;
    for (byte[] part : parts.end(false)) {
      byte[] message = PresenceCodec.change("node", 0, 1, part);
      assertThat(message.length).isLessThan(15 * 1024);
      for (PresenceChange each :
          ((PresenceMessage.Change) PresenceCodec.decode(message)).topics()) {
        read.addAll(each.joined());
        gone.addAll(each.left());
        resets += each.reset() ? 1 : 0;
      }
    }
    assertThat(read).isEqualTo(joined);
    assertThat(gone).isEqualTo(left);
    assertThat(resets).isEqualTo(1);
  }

  @Test
  void shouldBoundTheCopyOfAnotherNode() {
    PresenceCopy copy = new PresenceCopy(OPTIONS, topic -> {}, () -> {}, 0);
    List<PresenceChange> topics = new ArrayList<>();
    for (String topic : List.of("a", "b", "c")) {
      List<PresenceMember> four = IntStream.range(0, 4).mapToObj(i -> member(i)).toList();
      topics.add(new PresenceChange(topic, 4, true, true, four, List.of()));
    }
    copy.onChange(new PresenceMessage.Change("other", 0, 1, topics), 0);
    assertThat(copy.addTo(new HashMap<>(), "a")).isEqualTo(4); // no list of four
    assertThat(copy.addTo(new HashMap<>(), "c")).isZero(); // no third topic
  }
}
