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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages that remove their topic or key from snapshots. */
final class RemovalTest {
  private static final Channel CHANNEL = new Channel(1, "s.1", "s.*");
  private static final String[] TOPICS = {"s.1", "s.2"};

  private final Exposition exposition = new Exposition("removal-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final Map<String, Integer> counts = new HashMap<>();

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private TopicLog log(int messages) {
    LogLimits limits = LogLimits.of(Config.defaults().with(HistorySettings.MESSAGES, messages));
    TopicLog log = new TopicLog(1, null, limits, new LogMemory(1 << 24, metrics));
    log.counter(
        new TopicLog.TopicCounter() {
          @Override
          public void onLogged(String topic) {
            counts.merge(topic, 1, Integer::sum);
          }

          @Override
          public void onDiscarded(String topic) {
            counts.merge(topic, -1, Integer::sum);
          }
        });
    return log;
  }

  private static LogEntry append(
      TopicLog log, String topic, String key, boolean removal, int number) {
    PayloadKind kind = removal ? PayloadKind.REMOVAL : PayloadKind.TEXT;
    Message message = new Message(topic, number, 1, kind, new byte[0], null, key);
    return log.append(message, CHANNEL, number);
  }

  private static List<Long> identities(List<LogEntry> entries) {
    return entries.stream().map(entry -> entry.message().identity()).toList();
  }

  @Test
  void shouldRemoveOnlyItsKeyUntilItsNextMessage() {
    TopicLog log = log(100);
    append(log, "s.1", "a", false, 1);
    append(log, "s.1", "b", false, 2);
    append(log, "s.1", null, false, 3);
    append(log, "s.1", "a", true, 4);
    append(log, "s.1", "unknown", true, 5);
    assertThat(identities(log.snapshot(log.last()))).containsExactly(2L, 3L);
    append(log, "s.1", null, true, 6);
    append(log, "s.1", "a", false, 7);
    assertThat(identities(log.snapshot(log.last()))).containsExactly(2L, 7L);
    assertThat(identities(log.range(0, log.last()))).hasSize(7);
  }

  @Test
  void shouldMatchAModelForAnySequence() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    for (int world = 0; world < 50; world++) {
      counts.clear();
      TopicLog log = log(1 + random.nextInt(12));
      Map<String, LogEntry> expected = new HashMap<>();
      for (int step = 1; step <= 200; step++) {
        String key = random.nextInt(4) == 0 ? null : "k" + random.nextInt(5);
        boolean removal = random.nextInt(3) == 0;
        LogEntry added = append(log, TOPICS[random.nextInt(2)], key, removal, step);
        expected.remove(added.key());
        if (!removal) {
          expected.put(added.key(), added);
        }
        String place = "seed %d, world %d, step %d".formatted(seed, world, step);
        assertThat(log.snapshot(log.last()))
            .as(place)
            .containsExactlyInAnyOrderElementsOf(expected.values());
        for (String topic : TOPICS) {
          assertThat(counts.getOrDefault(topic, 0))
              .as("%s: messages of %s", place, topic)
              .isEqualTo(storedOf(topic, log));
        }
      }
      log.close();
    }
  }

  /** Returns the number of a topic's messages in the log and in its snapshot. */
  private static int storedOf(String topic, TopicLog log) {
    int stored = 0;
    for (LogEntry entry : log.snapshot(log.last())) {
      stored += log.at(entry.offset()) == null && isOf(topic, entry) ? 1 : 0;
    }
    for (long offset = log.last(); offset > 0 && log.at(offset) != null; offset--) {
      stored += isOf(topic, log.at(offset)) ? 1 : 0;
    }
    return stored;
  }

  private static boolean isOf(String topic, LogEntry entry) {
    return entry.message().topic().equals(topic);
  }
}
