package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What logs say that they use. */
final class LogMemoryTest {
  private static final int ENTRY = Logged.message(message("a"), null, 1, 1).size();

  private final Exposition exposition = new Exposition("log-memory-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private long now = 1;

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private TopicLog log(int messages, int keys) {
    Config config =
        Config.defaults()
            .with(Settings.HISTORY_MESSAGES, messages)
            .with(Settings.HISTORY_KEYS, keys);
    return new TopicLog(1, null, LogLimits.of(config), new LogMemory(1 << 20, metrics));
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
  void shouldCountTheNewestOfEachTopicAsLongAsItIsKept() {
    TopicLog log = log(2, 10);
    append(log, "a", "b", "c");
    assertThat(used()).as("two, and the newest of a").isEqualTo(3L * ENTRY);
    append(log, "c", "c");
    assertThat(used()).as("two, and the newest of a and b").isEqualTo(4L * ENTRY);
    append(log, "a");
    assertThat(used()).as("a is among the two").isEqualTo(3L * ENTRY);
    append(log, "d");
    assertThat(used()).as("two, and the newest of b and c").isEqualTo(4L * ENTRY);
    log.evict(now + Settings.HISTORY_AGE.defaultValue().toMillis());
    assertThat(used()).as("the newest of four").isEqualTo(4L * ENTRY);
    log.close();
    assertThat(used()).isZero();
  }

  @Test
  void shouldSayWhatNoSnapshotHas() {
    TopicLog log = log(10, 2);
    append(log, "a", "b", "a", "c", "b", "d");
    assertThat(sample("sluice.history.keys.left.out")).isEqualTo(2);
    assertThat(log.snapshot(log.last())).extracting(Logged::key).containsExactly("a", "b");
  }
}
