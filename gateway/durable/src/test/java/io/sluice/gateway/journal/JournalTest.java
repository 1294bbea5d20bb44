package io.sluice.gateway.journal;

import static io.sluice.gateway.journal.Samples.ROOMY;
import static io.sluice.gateway.journal.Samples.all;
import static io.sluice.gateway.journal.Samples.append;
import static io.sluice.gateway.journal.Samples.areGenuine;
import static io.sluice.gateway.journal.Samples.isSame;
import static io.sluice.gateway.journal.Samples.message;
import static io.sluice.gateway.journal.Samples.offsets;
import static io.sluice.gateway.journal.Samples.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.store.Recovery;
import io.sluice.gateway.store.Recovery.Outcome;
import io.sluice.gateway.store.StoreFailure;
import io.sluice.gateway.store.StoredMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JournalTest {
  @TempDir Path folder;

  @Test
  void shouldReadEveryKindOfMessage() throws Exception {
    byte[] everything = new byte[256];
    for (int i = 0; i < everything.length; i++) {
      everything[i] = (byte) i;
    }
    List<byte[]> properties = new ArrayList<>(List.of(new byte[0], "{}".getBytes()));
    properties.add(null);
    try (Journal journal = Journal.open(folder, ROOMY)) {
      TopicJournal topic = journal.topic("a.>");
      List<StoredMessage> sent = new ArrayList<>();
      for (PayloadKind kind : PayloadKind.values()) {
        for (byte[] payload : List.of(new byte[0], everything, new byte[300_000])) {
          for (byte[] property : properties) {
            long offset = topic.nextOffset();
            Message message =
                new Message("a.ü€😀", -offset, Long.MIN_VALUE + offset, kind, payload, property);
            sent.add(new StoredMessage(offset, offset, message));
            topic.append(sent.get(sent.size() - 1));
          }
        }
      }
      assertThat(all(topic))
          .as("before the sync")
          .usingElementComparator(this::compare)
          .isEqualTo(sent);
      topic.sync();
      assertThat(all(topic))
          .as("after the sync")
          .usingElementComparator(this::compare)
          .isEqualTo(sent);
    }
  }

  @Test
  void shouldReadGapMarkers() throws Exception {
    try (Journal journal = Journal.open(folder, ROOMY)) {
      TopicJournal topic = journal.topic("a.>");
      append(topic, 1);
      for (GapReason reason : GapReason.values()) {
        topic.append(StoredMessage.gap(topic.nextOffset(), 7, reason));
      }
      topic.sync();
      assertThat(topic.read(2, Integer.MAX_VALUE).stream().map(StoredMessage::gapReason))
          .containsExactly(GapReason.values());
      assertThat(all(topic).get(1)).isEqualTo(StoredMessage.gap(2, 7, GapReason.values()[0]));
    }
  }

  private int compare(StoredMessage a, StoredMessage b) {
    return isSame(a, b) ? 0 : 1;
  }

  @Test
  void shouldReadFromOffset() throws Exception {
    try (Journal journal = Journal.open(folder, ROOMY)) {
      TopicJournal topic = journal.topic("a");
      assertThat(topic.firstOffset()).isEqualTo(1);
      assertThat(topic.nextOffset()).isEqualTo(1);
      assertThat(all(topic)).isEmpty();
      append(topic, 60);
      topic.sync();
      append(topic, 40);
      assertThat(topic.firstOffset()).isEqualTo(1);
      assertThat(topic.nextOffset()).isEqualTo(101);
      assertThat(topic.read(58, 5).stream().map(StoredMessage::offset))
          .containsExactly(58L, 59L, 60L, 61L, 62L);
      assertThat(topic.read(101, 5)).isEmpty();
      assertThat(topic.read(1, 0)).isEmpty();
    }
  }

  @Test
  void shouldFindLatestOffsetAfterJumpOfOffsets() throws Exception {
    Path crashed = Files.createDirectory(folder.resolve("crashed"));
    try (Journal journal = Journal.open(folder.resolve("running"), ROOMY)) {
      TopicJournal topic = journal.topic("a");
      assertThat(topic.offsetOfLatest(5)).as("empty").isEqualTo(topic.nextOffset());
      append(topic, 10);
      topic.sync();
      copy(folder.resolve("running"), crashed);
    }
    try (Journal journal = Journal.open(crashed, ROOMY)) {
      TopicJournal topic = journal.topic("a");
      long jumped = topic.nextOffset();
      assertThat(jumped).isGreaterThan(100);
      assertThat(topic.offsetOfLatest(4)).isEqualTo(7);
      append(topic, 3);
      assertThat(topic.offsetOfLatest(2)).as("not synced").isEqualTo(jumped + 1);
      assertThat(topic.offsetOfLatest(5)).as("before and after the jump").isEqualTo(9);
      topic.sync();
      assertThat(topic.offsetOfLatest(5)).isEqualTo(9);
      assertThat(topic.offsetOfLatest(13)).isEqualTo(1);
      assertThat(topic.offsetOfLatest(14)).as("more than there are").isEqualTo(1);
      assertThat(topic.offsetOfLatest(0)).isEqualTo(topic.nextOffset());
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  @Test
  void shouldStoreArrivalsAfterClockWasSetBack() throws Exception {
    try (Journal journal = Journal.open(folder, ROOMY)) {
      TopicJournal topic = journal.topic("a");
      for (long arrival : new long[] {10, 50, 20, 30, 60}) {
        long offset = topic.nextOffset();
        topic.append(new StoredMessage(offset, arrival, message(offset).message()));
      }
      topic.sync();
      assertThat(topic.read(3, 1).get(0).arrivalMs()).as("unchanged").isEqualTo(20);
    }
  }

  @Test
  void shouldResumeAfterRestart() throws Exception {
    long epoch;
    try (Journal journal = Journal.open(folder, ROOMY)) {
      TopicJournal topic = journal.topic("a");
      assertThat(topic.recovery().outcome()).isEqualTo(Outcome.CREATED);
      epoch = topic.epoch();
      append(topic, 10);
    }
    for (int restart = 0; restart < 3; restart++) {
      try (Journal journal = Journal.open(folder, ROOMY)) {
        TopicJournal topic = journal.topic("a");
        assertThat(topic.recovery()).isEqualTo(new Recovery(Outcome.RESUMED, 0, 0));
        assertThat(topic.epoch()).isEqualTo(epoch);
        assertThat(offsets(topic)).isEqualTo(range(1, 10 + restart));
        assertThat(areGenuine(all(topic))).isTrue();
        assertThat(journal.topic("b").epoch()).isNotEqualTo(epoch);
        append(topic, 1);
      }
    }
  }

  @Test
  void shouldRetainNewestMessagesUpToMessageLimit() throws Exception {
    try (Journal journal = Journal.open(folder, limits(10, 1 << 30))) {
      TopicJournal topic = journal.topic("a");
      append(topic, 10);
      topic.sync();
      assertThat(offsets(topic)).isEqualTo(range(1, 10));
      append(topic, 1);
      topic.sync();
      assertThat(offsets(topic)).isEqualTo(range(2, 11));
      append(topic, 25);
      topic.sync();
      assertThat(offsets(topic)).isEqualTo(range(27, 36));
      assertThat(topic.firstOffset()).isEqualTo(27);
      assertThat(topic.messages()).isEqualTo(10);
    }
  }

  @Test
  void shouldRetainNewestMessagesUpToByteLimit() throws Exception {
    int one = Row.of(LogPosition.START, message(2, 1000)).size();
    try (Journal journal = Journal.open(folder, limits(1000, 5 * one))) {
      TopicJournal topic = journal.topic("a");
      for (int i = 0; i < 5; i++) {
        topic.append(equallyLarge(topic.nextOffset()));
      }
      topic.sync();
      assertThat(topic.bytes()).isEqualTo(5 * one);
      topic.append(equallyLarge(topic.nextOffset()));
      topic.sync();
      assertThat(offsets(topic)).isEqualTo(range(2, 6));
      topic.append(message(7, 6000));
      topic.sync();
      assertThat(topic.messages()).as("a message above the limit evicts all").isZero();
      assertThat(topic.firstOffset()).isEqualTo(8);
    }
    try (Journal journal = Journal.open(folder, limits(1000, 5 * one))) {
      assertThat(journal.topic("a").nextOffset()).as("although none is stored").isEqualTo(8);
    }
  }

  private static StoredMessage equallyLarge(long offset) {
    return new StoredMessage(offset, offset, message(2, 1000).message());
  }

  @Test
  void shouldDropExpiredMessagesOfIdleTopic() throws Exception {
    AtomicLong now = new AtomicLong(100);
    JournalLimits limits = new JournalLimits(1000, 1 << 30, Duration.ofMillis(50), 1L << 32);
    try (Journal journal =
        Journal.open(folder, limits, () -> Instant.ofEpochMilli(now.get()), () -> 1)) {
      TopicJournal topic = journal.topic("a");
      append(topic, 100);
      topic.sync();
      assertThat(offsets(topic)).isEqualTo(range(50, 100));
      now.set(140);
      topic.sync();
      assertThat(offsets(topic)).isEqualTo(range(90, 100));
      now.set(151);
      topic.sync();
      assertThat(offsets(topic)).isEmpty();
      assertThat(topic.nextOffset()).isEqualTo(101);
    }
  }

  @Test
  void shouldEnforceFolderLimit() throws Exception {
    long most = 24 << 20;
    try (Journal journal = Journal.open(folder, folderLimit(most))) {
      journal.topic("resting").append(message(1, 3_000_000));
      journal.topic("resting").close();
      for (int i = 0; i < 400; i++) {
        TopicJournal topic = journal.topic("t" + i % 3);
        topic.append(message(topic.nextOffset(), 250_000));
        topic.sync();
        assertThat(journal.diskBytes()).isLessThanOrEqualTo(most);
      }
      assertThat(bytesIn(folder)).isLessThanOrEqualTo(most + (1 << 20));
      for (int i = 0; i < 3; i++) {
        TopicJournal topic = journal.topic("t" + i);
        assertThat(topic.messages()).as("fair to t" + i).isGreaterThan(5);
        assertThat(offsets(topic)).isEqualTo(range(topic.firstOffset(), topic.nextOffset() - 1));
      }
    }
  }

  @Test
  void shouldTruncateIdleTopicNoMoreThanNecessary() throws Exception {
    long most = 24 << 20;
    try (Journal journal = Journal.open(folder, ROOMY)) {
      appendLarge(journal.topic("idle"), 80);
    }
    try (Journal journal = Journal.open(folder, folderLimit(most))) {
      TopicJournal idle = journal.topic("idle");
      TopicJournal busy = journal.topic("busy");
      for (int i = 0; i < 60; i++) {
        appendLarge(busy, 1);
        assertThat(journal.diskBytes()).isLessThanOrEqualTo(most);
        assertThat(journal.diskBytes()).isEqualTo(bytesOfDatabasesIn(folder));
      }
      assertThat(idle.messages() + busy.messages()).as("of 96 at most").isGreaterThan(60);
      assertThat(idle.messages()).as("fair to the idle one").isGreaterThan(25);
      assertThat(offsets(idle)).isEqualTo(range(idle.firstOffset(), 80));
    }
  }

  @Test
  void shouldFreeSpaceOfDroppedMessagesBeforeTruncation() throws Exception {
    long most = 24 << 20;
    AtomicLong now = new AtomicLong(100);
    JournalLimits limits = new JournalLimits(1000, 1 << 30, Duration.ofMillis(1000), most);
    try (Journal journal =
        Journal.open(folder, limits, () -> Instant.ofEpochMilli(now.get()), () -> 1)) {
      TopicJournal idle = journal.topic("idle");
      appendLarge(idle, 80);
      idle.close();
      idle = journal.topic("idle");
      now.set(2000);
      idle.sync();
      assertThat(idle.messages()).isZero();
      TopicJournal busy = journal.topic("busy");
      for (int i = 0; i < 60; i++) {
        StoredMessage message = message(busy.nextOffset(), 250_000);
        busy.append(new StoredMessage(message.offset(), 2000, message.message()));
        busy.sync();
        assertThat(journal.diskBytes()).isLessThanOrEqualTo(most);
      }
      assertThat(busy.messages()).isEqualTo(60);
    }
  }

  @Test
  void shouldTruncateNextLargestWhenLargestIsEmpty() throws Exception {
    long most = 24 << 20;
    try (Journal journal = Journal.open(folder, folderLimit(most))) {
      // Most of its bytes are its name, hence it remains the largest even without a message.
      TopicJournal named = journal.topic("n".repeat(13 << 20));
      append(named, 1);
      TopicJournal busy = journal.topic("busy");
      for (int i = 0; i < 60; i++) {
        appendLarge(busy, 1);
        assertThat(journal.diskBytes()).isLessThanOrEqualTo(most);
      }
      assertThat(named.messages()).isZero();
      assertThat(busy.messages()).isBetween(20L, 59L);
    }
  }

  private static void appendLarge(TopicJournal topic, int count) throws StoreFailure {
    for (int i = 0; i < count; i++) {
      topic.append(message(topic.nextOffset(), 250_000));
    }
    topic.sync();
  }

  private static JournalLimits folderLimit(long bytes) {
    return new JournalLimits(1_000_000, 1L << 30, Duration.ofDays(36_500), bytes);
  }

  private static long bytesOfDatabasesIn(Path folder) throws IOException {
    return TopicFiles.in(folder).stream().mapToLong(TopicFiles::bytes).sum();
  }

  private static long bytesIn(Path folder) throws Exception {
    try (var files = Files.list(folder)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    }
  }

  @Test
  void shouldNotGrowOnDiskWhileOldestMessagesAreDropped() throws Exception {
    try (Journal journal = Journal.open(folder, limits(1000, 1 << 30))) {
      TopicJournal topic = journal.topic("a");
      for (int batch = 0; batch < 300; batch++) {
        append(topic, 100);
        topic.sync();
      }
      assertThat(topic.messages()).isEqualTo(1000);
      assertThat(journal.diskBytes()).as("0.6 MB of messages, 4 MiB of log").isLessThan(7 << 20);
    }
  }

  @Test
  void shouldWriteWhenPendingBytesReachLimit() throws Exception {
    try (Journal journal = Journal.open(folder, ROOMY)) {
      TopicJournal topic = journal.topic("a");
      for (int i = 0; i < 20; i++) {
        topic.append(message(topic.nextOffset(), 1_000_000));
      }
      assertThat(topic.files().bytes()).isGreaterThan(4 << 20);
    }
  }

  @Test
  void shouldRejectOffsetThatIsNotNext() throws Exception {
    try (Journal journal = Journal.open(folder, ROOMY)) {
      TopicJournal topic = journal.topic("a");
      append(topic, 3);
      for (long offset : new long[] {0, 3, 5}) {
        assertThatThrownBy(() -> topic.append(message(offset)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("is not the next offset 4");
      }
      append(topic, 1);
      assertThat(offsets(topic)).isEqualTo(range(1, 4));
    }
  }

  @Test
  void shouldCreateNewLogAfterDeletion() throws Exception {
    try (Journal journal = Journal.open(folder, ROOMY)) {
      TopicJournal topic = journal.topic("a");
      append(topic, 10);
      topic.sync();
      topic.delete();
      assertThat(journal.topic("a").epoch()).isNotEqualTo(topic.epoch());
      assertThat(journal.topic("a").recovery().outcome()).isEqualTo(Outcome.CREATED);
      assertThat(journal.topic("a").nextOffset()).isEqualTo(1);
      assertThatThrownBy(topic::sync).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void shouldListTopics() throws Exception {
    try (Journal journal = Journal.open(folder, ROOMY)) {
      assertThat(journal.names()).isEmpty();
      append(journal.topic("open"), 10);
      append(journal.topic("a.>"), 10);
      journal.topic("a.>").close();
      append(journal.topic("gone"), 10);
      journal.topic("gone").delete();
      assertThat(journal.names()).containsExactly("a.>", "open");
      assertThat(journal.topic("a.>").messages()).as("a log that was inspected").isEqualTo(10);
    }
  }

  @Test
  void shouldOmitCorruptLogFromNames() throws Exception {
    try (Journal journal = Journal.open(folder, ROOMY)) {
      journal.topic("whole").close();
      Files.write(folder.resolve("0123456789abcdef0123456789abcdef.db"), new byte[100]);
    }
    try (Journal journal = Journal.open(folder, ROOMY)) {
      assertThat(journal.names()).containsExactly("whole");
    }
  }

  @Test
  void shouldReadConcurrentlyWithWrites() throws Exception {
    try (Journal journal = Journal.open(folder, limits(2000, 1 << 30))) {
      TopicJournal topic = journal.topic("a");
      CompletableFuture<Void> written =
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int batch = 0; batch < 200; batch++) {
                    append(topic, 50);
                    topic.sync();
                  }
                } catch (StoreFailure e) {
                  throw new IllegalStateException(e);
                }
              });
      long next = 1;
      while (!written.isDone() || next < topic.nextOffset()) {
        List<StoredMessage> read = topic.read(next, 100);
        assertThat(areGenuine(read)).isTrue();
        for (StoredMessage stored : read) {
          assertThat(stored.offset() == next || next < topic.firstOffset())
              .as("offset %d, read from %d", stored.offset(), next)
              .isTrue();
          next = stored.offset() + 1;
        }
      }
      written.join();
      assertThat(next).isEqualTo(10_001);
    }
  }

  private static JournalLimits limits(long messages, long bytes) {
    return new JournalLimits(messages, bytes, Duration.ofDays(36_500), 1L << 32);
  }
}
