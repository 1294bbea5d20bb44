package io.sluice.loadtest.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.loadtest.broker.provider.BrokerSource;
import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.provider.JmsProvider;
import io.sluice.loadtest.broker.provider.JournalBrokerSource;
import io.sluice.loadtest.broker.provider.JournalVariant;
import io.sluice.loadtest.broker.workload.MessageType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link ArtemisBenchIT} measures in the same way at the broker of the default set. */
@Tag("full")
class ClassicBenchIT {
  private static final long PREALLOCATED = 32 << 20;

  @TempDir private static Path folder;

  private static Path data;
  private static BrokerSource.Lease broker;
  private static BenchScene scene;

  @BeforeAll
  static void start() throws Exception {
    Path journals = Files.createDirectory(folder.resolve("data"));
    BrokerTarget base =
        new BrokerTarget(JmsProvider.CLASSIC, "", "", "", "", "bench", false, Map.of(), "", null);
    JournalVariant variant = JournalVariant.matching("not preallocated").get(0);
    broker = new JournalBrokerSource(variant, journals, base).open();
    try (Stream<Path> folders = Files.list(journals)) {
      data = folders.findFirst().orElseThrow();
    }
    scene = new BenchScene(JmsProvider.CLASSIC, broker.target().url());
  }

  @AfterAll
  static void stop() throws IOException {
    broker.close();
  }

  @Test
  void shouldDeliverAllMessagesOnce() throws Exception {
    scene.shouldDeliverAllMessagesOnce();
  }

  @Test
  void shouldReceiveReplyToEachRequest() throws Exception {
    scene.shouldReceiveReplyToEachRequest();
  }

  @ParameterizedTest
  @EnumSource(names = {"PRICE", "OBJECT"})
  void shouldRecordAndReplayPrices(MessageType type) throws Exception {
    scene.shouldRecordAndReplayPrices(type, folder);
  }

  @Test
  void shouldDeliverSelectedMessagesOnly() throws Exception {
    scene.shouldDeliverSelectedMessagesOnly();
  }

  @Test
  void shouldCountMessagesOfOtherRunsAsForeign() throws Exception {
    scene.shouldCountMessagesOfOtherRunsAsForeign();
  }

  @Test
  void shouldReportRowPerWorkloadAndMode() throws Exception {
    scene.shouldReportRowPerWorkloadAndMode(folder.resolve("measurement.json"));
  }

  @Test
  void shouldUseNamedJournal() {
    assertThat(data.resolve("db-1.log").toFile().length()).isLessThan(PREALLOCATED);
  }
}
