package io.sluice.gateway.audit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class AuditHistoryTest {
  @Test
  void shouldKeepTheLatestLines() {
    AuditHistory history = new AuditHistory();
    for (int i = 0; i <= AuditHistory.MAX_LINES; i++) {
      history.add("line " + i, false);
      if (i == 1) {
        history.add("operator", true);
      }
    }
    assertThat(history.latest()).hasSize(AuditHistory.MAX_LINES + 1);
    assertThat(history.latest().get(0)).isEqualTo("line " + AuditHistory.MAX_LINES);
    assertThat(history.latest()).doesNotContain("line 0").endsWith("line 2", "operator", "line 1");
  }

  @Test
  void shouldRecordOperatorsWithoutAFile() {
    AuditMemory memory = new AuditMemory("gw-1");
    Operator by = new Operator("192.0.2.1", "admin.token");
    memory.commanded("drain", by);
    memory.revoked("subject", "alice", by, 2);
    memory.restored("subject", "alice", by);
    memory.adminRefused("GET /x", by, "no-token");
    assertThat(memory.recent())
        .hasSize(4)
        .allSatisfy(line -> assertThat(line).contains("\"node\":\"gw-1\""));
    assertThat(memory.recent().get(2)).contains("\"event\":\"revoked\"", "\"count\":2");
    assertThat(memory.isRecorded(AuditEvent.CONNECTED)).isFalse();
  }
}
