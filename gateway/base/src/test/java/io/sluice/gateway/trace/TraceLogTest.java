package io.sluice.gateway.trace;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

final class TraceLogTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String CONTEXT = "00-" + TRACE + "-00f067aa0ba902b7-01";

  private final Logger log = (Logger) LoggerFactory.getLogger(TraceLogTest.class);
  private final ListAppender<ILoggingEvent> events = new ListAppender<>();

  @BeforeEach
  void setUp() {
    log.setLevel(Level.INFO);
    log.setAdditive(false);
    events.start();
    log.addAppender(events);
  }

  @AfterEach
  void tearDown() {
    log.detachAppender(events);
  }

  private Object traceOf(Map<String, Object> properties) {
    TraceLog.withTrace(log.atInfo(), properties).log("event");
    List<KeyValuePair> pairs = events.list.get(events.list.size() - 1).getKeyValuePairs();
    return pairs == null || pairs.isEmpty() ? null : pairs.get(0).value;
  }

  @Test
  void shouldAddTheTraceOfAValidContext() {
    assertThat(traceOf(Map.of(TraceContext.PARENT, CONTEXT))).isEqualTo(TRACE);
  }

  @Test
  void shouldAddNothingWithoutAValidContext() {
    assertThat(traceOf(Map.of())).isNull();
    assertThat(traceOf(Map.of(TraceContext.PARENT, "00-" + TRACE))).isNull();
    assertThat(traceOf(Map.of(TraceContext.PARENT, 7))).isNull();
  }
}
