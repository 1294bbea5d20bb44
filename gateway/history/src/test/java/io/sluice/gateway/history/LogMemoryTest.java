package io.sluice.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory accounted by topic logs. */
final class LogMemoryTest {
  private static final long LIMIT = 1 << 20;
  private static final int ENTRY = LogEntry.message(message("a"), null, 1, 1).size();
  private static final int KEY = NewestMessages.KEY_BYTES + 1;
  private static final int RETAINED = NewestMessages.RETAINED_BYTES;

  private final Exposition exposition = new Exposition("log-memory-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private LogMemory memory;
  private LogLimits limits;
  private long now = 1;

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private TopicLog log(int messages, int keys) {
    memory = new LogMemory(LIMIT, metrics);
    limits = limits(messages, keys);
    return new TopicLog(1, null, limits, memory);
  }

  private static LogLimits limits(int messages, int keys) {
    Config config =
        Config.defaults()
            .with(HistorySettings.MESSAGES, messages)
            .with(HistorySettings.BYTES, LIMIT)
            .with(HistorySettings.KEYS, keys);
    return LogLimits.of(config);
  }

  private static Message message(String topic) {
    return new Message(topic, 1, 1, PayloadKind.TEXT, new byte[100], null);
  }

  private void append(TopicLog log, String... topics) {
    for (String topic : topics) {
      log.append(message(topic), new Channel(1, topic, "s.>"), now++);
    }
  }

  private double sample(String name) {
    return exposition.registry().get(name).functionCounter().count();
  }

  private long used() {
    return (long) exposition.registry().get("sluice.history.bytes").gauge().value();
  }

  @Test
  void shouldAccountNewestMessageOfEachTopicWhileRetained() {
    TopicLog log = log(2, 10);
    append(log, "a", "b", "c");
    assertThat(used()).as("two, and the newest of a").isEqualTo(3L * ENTRY + RETAINED + 3L * KEY);
    append(log, "c", "c");
    assertThat(used())
        .as("two, and the newest of a and b")
        .isEqualTo(4L * ENTRY + 2L * RETAINED + 3L * KEY);
    append(log, "a");
    assertThat(used()).as("a is among the two").isEqualTo(3L * ENTRY + RETAINED + 3L * KEY);
    append(log, "d");
    assertThat(used())
        .as("two, and the newest of b and c")
        .isEqualTo(4L * ENTRY + 2L * RETAINED + 4L * KEY);
    log.evict(now + HistorySettings.AGE.defaultValue().toMillis());
    assertThat(used()).as("the newest of four").isEqualTo(4L * (ENTRY + RETAINED + KEY));
    log.close();
    assertThat(used()).isZero();
  }

  @Test
  void shouldDiscardOldestRetainedMessageAboveLimit() {
    TopicLog log = log(2, 1 << 20);
    int topics = 2 * (int) (LIMIT / ENTRY);
    for (int i = 0; i < topics; i++) {
      append(log, "t" + i);
      assertThat(used()).isLessThanOrEqualTo(LIMIT);
    }
    List<LogEntry> retained = log.snapshot(log.last());
    assertThat(retained).last().extracting(LogEntry::key).isEqualTo("t" + (topics - 1));
    assertThat(retained)
        .first()
        .extracting(LogEntry::offset)
        .isEqualTo(log.last() - retained.size() + 1);
    assertThat(used()).as("no more than necessary").isGreaterThan(LIMIT * 9 / 10);
    assertThat(sample("sluice.history.keys.left.out")).isEqualTo(topics - retained.size());
    log.close();
    assertThat(used()).isZero();
  }

  @Test
  void shouldSplitLimitBetweenReplaysAndSnapshots() {
    TopicLog log = log(1 << 20, 1 << 20);
    int entries = (int) (LIMIT / ENTRY);
    for (int i = 0; i < entries; i++) {
      append(log, "t" + i); // newest values
    }
    for (int i = 0; i < entries; i++) {
      append(log, "busy");
    }
    long replayed = log.last() - log.offsetBeforeLatest(entries, log.last());
    assertThat(replayed * ENTRY).isBetween(LIMIT * 4 / 10, LIMIT * 6 / 10);
    assertThat(log.snapshot(log.last())).hasSizeGreaterThan((int) (LIMIT * 3 / 10 / ENTRY));
  }

  @Test
  void shouldAccountTopicIndex() {
    TopicLog source = log(10, 10);
    append(source, "a", "b");
    long before = used();
    TopicLog copy = new TopicLog(2, null, limits, memory);
    copy.copyFrom(source, "a", 0, topic -> new Channel(2, topic, null));
    copy.close();
    assertThat(used()).isEqualTo(before + 2L * TopicIndex.TOPIC_BYTES);
    append(source, "c");
    source.close();
    assertThat(used()).isZero();
  }

  @Test
  void shouldCountKeysMissingFromSnapshots() {
    TopicLog log = log(10, 2);
    append(log, "a", "b", "a", "c", "b", "d");
    assertThat(sample("sluice.history.keys.left.out")).isEqualTo(2);
    assertThat(log.snapshot(log.last())).extracting(LogEntry::key).containsExactly("a", "b");
  }
}
