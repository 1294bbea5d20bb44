package io.sluice.gateway.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.presence.PresenceMember;
import java.util.List;
import org.junit.jupiter.api.Test;

class PresenceTableTest {
  private static final PresenceOptions OPTIONS =
      new PresenceOptions("node", 10, 1_000, 50, 1_000, 10, 10, 8, 100);

  private static PresenceTable table(boolean clustered) {
    PresenceTable.Listener listener =
        new PresenceTable.Listener() {
          @Override
          public void onChange(String topic) {}

          @Override
          public void onPartial() {}
        };
    return new PresenceTable(OPTIONS, clustered, PresenceLink.NONE, listener);
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
}
