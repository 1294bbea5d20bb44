package io.sluice.gateway.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Copies of the messages and gap markers of one topic from the log of a pattern. */
final class TopicLogCopyTest {
  private static final long GAP = -1;
  private static final Channel CHANNEL = new Channel(1, "s.1", null);
  private static final LogLimits ROOMY = LogLimits.of(Config.defaults());
  private static final String[] NAMES = {"s.1", "s.2", "s.12", "s.*", "none"};

  private final Exposition exposition = new Exposition("copy-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  @Test
  void shouldCopySameEntriesAsFullScan() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    for (int world = 0; world < 30; world++) {
      LogLimits limits =
          LogLimits.of(
              Config.defaults()
                  .with(HistorySettings.MESSAGES, 1 + random.nextInt(100))
                  .with(HistorySettings.KEYS, 1 + random.nextInt(12)));
      LogMemory memory = new LogMemory(3_000 + random.nextInt(20_000), metrics);
      TopicLog source = new TopicLog(1, null, limits, memory);
      for (int step = 1; step <= 300; step++) {
        change(source, random, step);
        String name = NAMES[random.nextInt(NAMES.length)];
        TopicLog copy = new TopicLog(2, null, ROOMY, new LogMemory(1 << 20, metrics));
        copy.copyFrom(source, name, 0, topic -> CHANNEL);
        assertThat(content(copy, name))
            .as("seed %d, world %d, step %d: %s", seed, world, step, name)
            .isEqualTo(expected(source, name));
        copy.close();
      }
      source.close();
    }
  }

  private static void change(TopicLog source, Random random, int step) {
    if (random.nextInt(6) == 0) {
      source.appendGap(GapReason.OVERLOAD, step);
      return;
    }
    String topic = NAMES[random.nextInt(3)];
    String key = random.nextBoolean() ? null : "k" + random.nextInt(4);
    byte[] payload = new byte[random.nextInt(200)];
    source.append(new Message(topic, step, 1, PayloadKind.TEXT, payload, null, key), CHANNEL, step);
  }

  private static List<Long> content(TopicLog log, String name) {
    List<Long> found = new ArrayList<>();
    for (long offset = 1; offset <= log.last(); offset++) {
      LogEntry entry = log.at(offset);
      if (entry != null) {
        found.add(entry.isGap() ? GAP : entry.message().identity());
      }
    }
    return TopicPattern.isPattern(name) ? found : mergeConsecutiveGaps(found);
  }

  private static List<Long> expected(TopicLog source, String name) {
    List<LogEntry> retained = source.snapshot(source.last());
    retained.removeIf(
        entry ->
            source.at(entry.offset()) != null
                || !TopicPattern.covers(name, entry.message().topic()));
    List<Long> found = new ArrayList<>();
    for (LogEntry entry : retained) {
      addEvictedLoss(source, found, entry);
      found.add(entry.message().identity());
    }
    addEvictedLoss(source, found, null);
    boolean gapPending =
        retained.size() > 1 || !retained.isEmpty() && source.isSnapshotIncomplete();
    for (long offset = 1; offset <= source.last(); offset++) {
      LogEntry entry = source.at(offset);
      if (entry != null && entry.isGap()) {
        found.add(GAP);
      } else if (entry != null && TopicPattern.covers(name, entry.message().topic())) {
        if (gapPending || retained.size() == 1 && found.size() == 1) {
          found.add(GAP);
          gapPending = false;
        }
        found.add(entry.message().identity());
      }
    }
    if (gapPending) {
      found.add(GAP);
    }
    return TopicPattern.isPattern(name) ? found : mergeConsecutiveGaps(found);
  }

  /** Adds the source's latest loss, if it is evicted and was before an entry or the end. */
  private static void addEvictedLoss(TopicLog source, List<Long> found, LogEntry next) {
    boolean later = next != null && source.lossBetween(next.offset(), source.last()) != null;
    if (!found.isEmpty() && !later && !found.contains(GAP) && isLossEvicted(source)) {
      boolean after = found.stream().anyMatch(id -> isBeforeLoss(source, id));
      if (after) {
        found.add(GAP);
      }
    }
  }

  private static boolean isBeforeLoss(TopicLog source, long identity) {
    return source.snapshot(source.last()).stream()
        .filter(entry -> entry.message().identity() == identity)
        .anyMatch(entry -> source.lossBetween(entry.offset(), source.last()) != null);
  }

  private static boolean isLossEvicted(TopicLog source) {
    for (long offset = 1; offset <= source.last(); offset++) {
      if (source.at(offset) != null && source.at(offset).isGap()) {
        return false;
      }
    }
    return true;
  }

  /** Merges gap markers between two messages into one. */
  private static List<Long> mergeConsecutiveGaps(List<Long> entries) {
    List<Long> found = new ArrayList<>();
    for (long entry : entries) {
      if (entry != GAP || found.isEmpty() || found.get(found.size() - 1) != GAP) {
        found.add(entry);
      }
    }
    return found;
  }
}
