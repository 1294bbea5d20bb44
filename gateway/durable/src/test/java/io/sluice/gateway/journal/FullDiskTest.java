package io.sluice.gateway.journal;

import static io.sluice.gateway.journal.Samples.ROOMY;
import static io.sluice.gateway.journal.Samples.all;
import static io.sluice.gateway.journal.Samples.isSame;
import static io.sluice.gateway.journal.Samples.message;
import static io.sluice.gateway.journal.Samples.offsets;
import static io.sluice.gateway.journal.Samples.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.store.StoreFailure;
import io.sluice.gateway.store.StoredMessage;
import io.sluice.testkit.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests on a file system of a few MiB. Skipped unless run as root, which the mount requires. */
final class FullDiskTest {
  private static final int LARGE = 100_000;

  @TempDir Path folder;

  private SmallDisk disk;

  @BeforeEach
  void mount() throws Exception {
    disk = SmallDisk.mount(folder.resolve("disk"));
  }

  @AfterEach
  void unmount() {
    if (disk != null) {
      disk.close();
    }
  }

  @Test
  void shouldLoseNothingAndResumeAfterSpaceIsFreed() throws Exception {
    Path journalFolder = disk.folder().resolve("journal");
    Path other = Files.write(disk.folder().resolve("other"), new byte[12_000_000]);
    long epoch;
    long last;
    try (Journal journal = Journal.open(journalFolder, ROOMY)) {
      TopicJournal topic = journal.topic("a");
      epoch = topic.epoch();
      long synced = fill(topic);
      assertThat(synced).isGreaterThan(5);
      assertThat(areLarge(all(topic))).isTrue();
      assertThat(offsets(topic)).startsWith(range(1, synced).toArray(Long[]::new));
      isFull(topic);
      Files.delete(other);
      topic.append(message(topic.nextOffset(), LARGE));
      topic.sync();
      last = topic.nextOffset() - 1;
      assertThat(offsets(topic)).isEqualTo(range(1, last));
    }
    try (Journal journal = Journal.open(journalFolder, ROOMY)) {
      TopicJournal topic = journal.topic("a");
      assertThat(topic.epoch()).isEqualTo(epoch);
      assertThat(offsets(topic)).isEqualTo(range(1, last));
      assertThat(areLarge(all(topic))).isTrue();
    }
  }

  @Test
  void shouldRecoverSyncedMessagesAfterCrashOnFullDisk() throws Exception {
    Path journalFolder = disk.folder().resolve("journal");
    long synced;
    long epoch;
    try (Journal journal = Journal.open(journalFolder, ROOMY)) {
      TopicJournal topic = journal.topic("a");
      epoch = topic.epoch();
      synced = fill(topic);
      copy(journalFolder, folder.resolve("crashed"));
      topic.delete();
    }
    try (Journal journal = Journal.open(folder.resolve("crashed"), ROOMY)) {
      TopicJournal topic = journal.topic("a");
      assertThat(topic.epoch()).isEqualTo(epoch);
      assertThat(offsets(topic)).startsWith(range(1, synced).toArray(Long[]::new));
      assertThat(areLarge(all(topic))).isTrue();
    }
  }

  /** Appends until the disk is full and returns the last synced offset. */
  private long fill(TopicJournal topic) {
    long synced = 0;
    while (synced < 1000) {
      try {
        topic.append(message(topic.nextOffset(), LARGE));
        topic.sync();
        synced = topic.nextOffset() - 1;
      } catch (StoreFailure e) {
        assertNamesTheFolder(e);
        return synced;
      }
    }
    throw new AssertionError("the disk is not as small as it should be");
  }

  private void isFull(TopicJournal topic) {
    for (int attempt = 0; attempt < 3; attempt++) {
      try {
        topic.sync();
        throw new AssertionError("there is no room");
      } catch (StoreFailure e) {
        assertNamesTheFolder(e);
      }
    }
  }

  private void assertNamesTheFolder(StoreFailure failure) {
    assertThat(failure).hasMessageContaining(disk.folder().resolve("journal").toString());
    assertThat(failure.isCorruption()).isFalse();
  }

  private static boolean areLarge(List<StoredMessage> messages) {
    return messages.stream().allMatch(stored -> isSame(stored, message(stored.offset(), LARGE)));
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectory(to);
    try (var files = Files.list(from)) {
      for (Path file : List.copyOf(files.toList())) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }
}
