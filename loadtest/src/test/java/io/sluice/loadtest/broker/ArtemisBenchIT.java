package io.sluice.loadtest.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArtemisBenchIT {
  @TempDir private static Path folder;

  private static Path data;
  private static ChildBroker broker;
  private static BenchScene scene;

  @BeforeAll
  static void start() throws Exception {
    data = folder.resolve("data");
    broker = ChildBroker.start(smallFiles(), data);
    scene = new BenchScene(JmsProvider.ARTEMIS, broker.url());
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @Test
  void aBrokerFoundByJndiIsMeasured() throws Exception {
    scene.aBrokerFoundByJndiIsMeasured(
        Map.of(
            "java.naming.factory.initial",
            "org.apache.activemq.artemis.jndi.ActiveMQInitialContextFactory",
            "connectionFactory.Bench",
            broker.url()),
        "Bench");
  }

  @Test
  void aRowThatFailsLeavesTheOthers() throws Exception {
    scene.aRowThatFailsLeavesTheOthers();
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
    assertThat(data.resolve("journal").toFile().listFiles(file -> file.getName().endsWith(".amq")))
        .isNotEmpty()
        .allSatisfy(file -> assertThat(file).hasSize(1 << 20));
  }

  private static JournalVariant smallFiles() {
    return JournalVariant.artemis(false).stream()
        .filter(variant -> variant.name().endsWith("2 files of 1 MiB"))
        .findFirst()
        .orElseThrow();
  }
}
