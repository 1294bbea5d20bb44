package io.sluice.gateway.admin.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.audit.AuditEvent;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class QueryWordsTest {
  @Test
  void shouldListAllEventsAndKinds() {
    assertThat(QueryWords.AUDIT_EVENTS)
        .containsExactlyElementsOf(Stream.of(AuditEvent.values()).map(AuditEvent::word).toList());
    assertThat(QueryWords.TOPIC_KINDS)
        .containsExactlyElementsOf(Stream.of(TopicKind.values()).map(TopicKind::word).toList());
  }
}
