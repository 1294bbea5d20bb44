package io.sluice.gateway.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.presence.PresenceMember;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

class PresenceTableTest {
  private static final PresenceOptions OPTIONS =
      new PresenceOptions("node", 10, 1_000, 50, 1_000, 10, 10, 8, 100);

  /** Topics of which the tables have notified their listener. */
  private final List<String> changed = new ArrayList<>();

  private PresenceTable table(boolean clustered) {
    return table(clustered, (peer, message) -> {});
  }

  private PresenceTable table(boolean clustered, BiConsumer<Object, byte[]> link) {
    PresenceTable.Listener listener =
        new PresenceTable.Listener() {
          @Override
          public void onChange(String topic) {
            changed.add(topic);
          }

          @Override
          public void onPartial() {}
        };
    return new PresenceTable(OPTIONS, clustered, link, listener);
  }

  /** Returns a table that exchanges messages with others without delay. */
  private PresenceTable table(String name, Map<Object, PresenceTable> others) {
    BiConsumer<Object, byte[]> link =
        (peer, message) -> {
          try {
            others.get(peer).onMessage(name, message, 0);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        };
    PresenceTable table = table(true, link);
    others.put(name, table);
    return table;
  }

  @Test
  void shouldBeIdleWithoutMembersAndNodes() {
    assertThat(table(false).isIdle()).isTrue();
  }

  @Test
  void shouldNotBeIdleWithAMember() {
    PresenceTable table = table(false);
    table.enter("room.1", new PresenceMember("ann", "", null));
    assertThat(table.isIdle()).as("before its change is sent").isFalse();
    table.onTick(1_000);
    assertThat(table.isIdle()).as("after its change was sent").isFalse();
  }

  @Test
  void shouldNotBeIdleWithAnotherNodeUntilItIsForgotten() {
    PresenceTable table = table(true);
    assertThat(table.isIdle()).as("before the first view").isFalse();
    table.onView(List.of("other"), 0);
    assertThat(table.isIdle()).as("with another node").isFalse();
    table.onView(List.of(), 0);
    assertThat(table.isIdle()).as("while the other node is remembered").isFalse();
    table.onTick(Long.MAX_VALUE / 2);
    assertThat(table.isIdle()).as("when it is forgotten").isTrue();
  }

  @Test
  void shouldNotMissANodeThatRestartsBeforeItIsSuspected() {
    Map<Object, PresenceTable> tables = new HashMap<>();
    PresenceTable table = table("node-a", tables);
    List<String> view = new ArrayList<>();
    for (String process : List.of("former", "next")) {
      PresenceTable other = table(process, tables);
      view.add(process);
      table.onView(view, 0);
      other.onView(List.of("node-a"), 0);
      other.onTick(0);
    }
    assertThat(table.view("room").partial()).as("with both processes").isFalse();
    table.onView(List.of("next"), 0);
    assertThat(table.view("room").partial()).as("without the former one").isFalse();
    table.onView(List.of(), 0);
    assertThat(table.view("room").partial()).as("without both").isTrue();
  }

  @Test
  void shouldNotifyOncePerTopicOfANodeThatIsGone() {
    Map<Object, PresenceTable> tables = new HashMap<>();
    PresenceTable table = table("node-a", tables);
    PresenceTable other = table("node-b", tables);
    for (String topic : List.of("room.1", "room.2")) {
      other.enter(topic, new PresenceMember("ann", "", null));
      other.enter(topic, new PresenceMember("bob", "", null));
    }
    table.onView(List.of("node-b"), 0);
    other.onView(List.of("node-a"), 0);
    other.onTick(1_000);
    assertThat(table.view("room.2").count()).isEqualTo(2);
    changed.clear();
    table.onView(List.of(), 1_000);
    assertThat(changed).containsOnlyOnce("room.1", "room.2");
  }

  @Test
  void shouldShareTheTopicOfTheKeysOfItsMembers() throws IOException {
    PresenceCodec codec = new PresenceCodec();
    PresenceKey ann = transmitted(codec, new PresenceKey("room.1", "ann"));
    PresenceKey bob = transmitted(codec, new PresenceKey("room.1", "bob"));
    PresenceKey cyd = transmitted(codec, new PresenceKey("room.2", "cyd"));
    assertThat(bob.topic()).isSameAs(ann.topic());
    assertThat(cyd.topic()).isEqualTo("room.2");
  }

  private static PresenceKey transmitted(PresenceCodec codec, PresenceKey key) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    codec.writeKey(key, new DataOutputStream(bytes));
    return codec.readKey(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
  }
}
