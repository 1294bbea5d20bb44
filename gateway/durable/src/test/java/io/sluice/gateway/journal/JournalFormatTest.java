package io.sluice.gateway.journal;

import static io.sluice.gateway.journal.Samples.ROOMY;
import static io.sluice.gateway.journal.Samples.all;
import static io.sluice.gateway.journal.Samples.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.store.Recovery;
import io.sluice.gateway.store.StoredMessage;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compatibility with the files of an earlier build: a closed log whose oldest messages were
 * dropped, and a log whose process terminated while messages were in the write-ahead log.
 */
final class JournalFormatTest {
  private static final String CLOSED = "1da830eebcf83998c061074c615ff7e0";
  private static final String RUNNING = "c071cf5f5ed6f884cc70155b6f05f755";

  @TempDir Path folder;

  @BeforeEach
  void copyFiles() throws Exception {
    List<String> files =
        List.of(
            CLOSED + ".db",
            CLOSED + ".safe",
            RUNNING + ".db",
            RUNNING + ".db-wal",
            RUNNING + ".safe");
    for (String file : files) {
      try (InputStream in = getClass().getResourceAsStream("2026-11/" + file)) {
        Files.copy(in, folder.resolve(file));
      }
    }
  }

  @Test
  void shouldResumeClosedLog() throws Exception {
    try (Journal journal = Journal.open(folder, ROOMY)) {
      assertThat(journal.names()).containsExactly("closed.>", "running");
      TopicJournal topic = journal.topic("closed.>");

      assertThat(topic.recovery()).isEqualTo(new Recovery(Recovery.Outcome.RESUMED, 0, 0));
      assertThat(topic.epoch()).isEqualTo(5808545352834091091L);
      assertThat(topic.nextOffset()).isEqualTo(22);
      List<StoredMessage> stored = all(topic);
      assertThat(stored).extracting(StoredMessage::offset).isEqualTo(range(7, 21));
      assertThat(stored.subList(0, 14)).allMatch(JournalFormatTest::isGenuine);
      assertThat(stored.get(14)).isEqualTo(StoredMessage.gap(21, 21, GapReason.TOO_LARGE));
      assertThat(topic.messages()).isEqualTo(15);
    }
  }

  @Test
  void shouldRecoverLogThatWasNotClosed() throws Exception {
    try (Journal journal = Journal.open(folder, ROOMY)) {
      TopicJournal topic = journal.topic("running");

      assertThat(topic.recovery()).isEqualTo(new Recovery(Recovery.Outcome.RECOVERED, 0, 0));
      assertThat(topic.epoch()).isEqualTo(6714035270598512517L);
      assertThat(topic.nextOffset()).isGreaterThan(9);
      assertThat(all(topic)).extracting(StoredMessage::offset).isEqualTo(range(1, 8));
      assertThat(all(topic)).allMatch(JournalFormatTest::isGenuine);
    }
  }

  private static boolean isGenuine(StoredMessage stored) {
    return Samples.isSame(stored, Samples.message(stored.offset(), 40));
  }
}
