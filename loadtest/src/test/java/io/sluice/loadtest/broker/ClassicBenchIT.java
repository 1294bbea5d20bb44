package io.sluice.loadtest.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassicBenchIT {
  private static final long PREALLOCATED = 32 << 20;

  @TempDir private static Path folder;

  private static Path data;
  private static ChildBroker broker;
  private static BenchScene scene;

  @BeforeAll
  static void start() throws Exception {
    data = folder.resolve("data");
    broker = ChildBroker.start(notPreallocated(), data);
    scene = new BenchScene(JmsProvider.CLASSIC, broker.url());
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @Test
  void allThatIsSentArrivesOnce() throws Exception {
    scene.allThatIsSentArrivesOnce();
  }

  @Test
  void aSelectorGivesConsumersAPart() throws Exception {
    scene.aSelectorGivesConsumersAPart();
  }

  @Test
  void whatAnotherRunHasLeftIsForeign() throws Exception {
    scene.whatAnotherRunHasLeftIsForeign();
  }

  @Test
  void aPresetHasARowForEachWorkloadAndMode() throws Exception {
    scene.aPresetHasARowForEachWorkloadAndMode(folder.resolve("measurement.json"));
  }

  @Test
  void theJournalIsWrittenInTheWayThatItsNameSays() {
    assertThat(data.resolve("db-1.log").toFile().length()).isLessThan(PREALLOCATED);
  }

  private static JournalVariant notPreallocated() {
    return JournalVariant.classic().stream()
        .filter(variant -> variant.name().endsWith("not preallocated"))
        .findFirst()
        .orElseThrow();
  }
}
