package io.sluice.gateway.journal;

import static io.sluice.gateway.journal.Samples.ROOMY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.store.Recovery.Outcome;
import io.sluice.gateway.store.StoreFailure;
import io.sluice.gateway.store.StoredMessage;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exclusive use of a folder by one process, and no loss of synced messages when it is killed. */
final class JournalProcessIT {
  @TempDir Path folder;

  @Test
  void shouldRejectFolderOpenInThisProcess() throws Exception {
    try (Journal journal = Journal.open(folder, ROOMY)) {
      assertIsRefused();
      journal.topic("a").append(Samples.message(1));
    }
    Journal.open(folder, ROOMY).close();
  }

  @Test
  void shouldRejectFolderOpenInAnotherProcess() throws Exception {
    try (AppendingProcess other = AppendingProcess.start(folder)) {
      other.next();
      assertIsRefused();
      other.kill(0);
    }
    Journal.open(folder, ROOMY).close();
  }

  private void assertIsRefused() {
    assertThatThrownBy(() -> Journal.open(folder, ROOMY))
        .isInstanceOf(StoreFailure.class)
        .hasMessageContaining(folder.toString())
        .hasMessageContaining("locked by another node or process");
  }

  @Tag("full")
  @Test
  void shouldRecoverSyncedMessagesAfterProcessIsKilled() throws Exception {
    long epoch = 0;
    Set<Long> synced = new HashSet<>();
    for (int kills = 0; kills < 3; kills++) {
      try (AppendingProcess process = AppendingProcess.start(folder)) {
        long found = process.next();
        assertThat(kills == 0 || found == epoch).as("the epoch is unchanged").isTrue();
        epoch = found;
        long first = process.next();
        long last = first;
        while (last < first + 200) {
          last = process.next();
        }
        synced.addAll(Samples.range(first - 9, process.kill(last)));
      }
    }
    try (Journal journal = Journal.open(folder, ROOMY)) {
      TopicJournal topic = journal.topic(AppendingProcess.TOPIC);
      assertThat(topic.recovery().outcome()).isEqualTo(Outcome.RECOVERED);
      List<StoredMessage> all = Samples.all(topic);
      assertThat(all.stream().map(StoredMessage::offset).toList()).containsAll(synced);
      assertThat(Samples.areGenuine(all)).isTrue();
    }
  }
}
