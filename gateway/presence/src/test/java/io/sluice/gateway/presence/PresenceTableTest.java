package io.sluice.gateway.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cluster.replica.MalformedReplica;
import io.sluice.gateway.protocol.presence.PresenceMember;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PresenceTableTest {
  private static final PresenceOptions OPTIONS =
      new PresenceOptions("node", 10, 1_000, 50, 1_000, 10, 10, 8, 100);

  private static PresenceTable table(boolean clustered) {
    return table(clustered, PresenceLink.NONE);
  }

  private static PresenceTable table(boolean clustered, PresenceLink link) {
    PresenceTable.Listener listener =
        new PresenceTable.Listener() {
          @Override
          public void onChange(String topic) {}

          @Override
          public void onPartial() {}
        };
    return new PresenceTable(OPTIONS, clustered, link, listener);
  }

  /** Returns a table that exchanges messages with others without delay. */
  private static PresenceTable table(String name, Map<Object, PresenceTable> others) {
    PresenceLink link =
        (peer, message) -> {
          try {
            others.get(peer).onMessage(name, message, 0);
          } catch (MalformedReplica e) {
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
}
