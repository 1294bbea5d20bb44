package io.sluice.gateway.audit.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.auth.Principal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class AuditHistoryTest {
  private static AuditRecord connected(String subject) {
    Principal principal =
        new Principal(subject, Principal.Mechanism.JWT, "", 0, Principal.NEVER, Map.of());
    return AuditRecord.of(
        0, AuditEvent.CONNECTED, new Peer("gw-1-1-7", "192.0.2.1", principal), null);
  }

  private static AuditRecord commanded() {
    Operator by = new Operator("192.0.2.1", "admin.token");
    return new AuditRecord(0, AuditEvent.COMMANDED.word(), null, by, "drain", null, null, null, -1);
  }

  @Test
  void shouldKeepTheLinesOfOthersDuringAFlood() {
    AuditHistory history = new AuditHistory();
    List.of("ann", "ben", "cem").forEach(each -> history.add(connected(each), each));
    for (int i = 0; i <= 2 * AuditHistory.MAX_LINES; i++) {
      history.add(connected("flood"), "line " + i);
    }
    assertThat(history.latest())
        .hasSize(AuditHistory.MAX_LINES)
        .startsWith("line " + 2 * AuditHistory.MAX_LINES)
        .endsWith("cem", "ben", "ann");
  }

  @Test
  void shouldTakeTheAddressesOfANetworkForOneUser() {
    Peer first = new Peer("", "2001:db8::1", Principal.ANONYMOUS);
    Peer second = new Peer("", "2001:db8::2", Principal.ANONYMOUS);
    Peer other = new Peer("", "2001:db8:0:1::1", Principal.ANONYMOUS);
    String user = AuditRecord.of(0, AuditEvent.REFUSED, first, null).user();
    assertThat(AuditRecord.of(0, AuditEvent.REFUSED, second, null).user()).isEqualTo(user);
    assertThat(AuditRecord.of(0, AuditEvent.REFUSED, other, null).user()).isNotEqualTo(user);
  }

  @Test
  void shouldKeepOperatorsDuringRejectedRequests() {
    AuditMemory memory = new AuditMemory("gw-1");
    Operator by = new Operator("192.0.2.1", "");
    memory.commanded("drain", by);
    for (int i = 0; i <= AuditHistory.MAX_LINES; i++) {
      memory.adminRefused("GET /x", by, "no-token");
    }
    assertThat(memory.recent()).last().asString().contains("drain");
  }

  @Test
  void shouldKeepTheLatestLines() {
    AuditHistory history = new AuditHistory();
    for (int i = 0; i <= AuditHistory.MAX_LINES; i++) {
      history.add(connected("ann"), "line " + i);
      if (i == 1) {
        history.add(commanded(), "operator");
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
