package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.EachBroker;
import io.sluice.testkit.SmallDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/** The journal of a durable interest is on a full disk, is damaged or goes away. */
@Tag("full")
@Timeout(600)
final class DurableDiskIT {
  private static final String FAILURES = "sluice_journal_failures_total";

  private static final List<Damage> DAMAGES =
      List.of(DurableDiskIT::cutLog, DurableDiskIT::cutDatabase, DurableDiskIT::delete);

  @TempDir private Path folder;

  @Test
  void shouldContinueWhenAFullDiskHasRoomAgain() throws Exception {
    fillDisk("artemis");
  }

  @Tag("full")
  @Test
  void shouldContinueWithClassicWhenAFullDiskHasRoomAgain() throws Exception {
    fillDisk("classic");
  }

  private void fillDisk(String provider) throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder.resolve("disk"));
        DurableScene scene =
            DurableScene.start(provider, folder, disk.folder().resolve("journal"))) {
      Path filler = fill(disk, scene);
      scene.awaitTaken(10);
      Files.delete(filler);
      scene.hearMore();
      scene.endWithoutGap();
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldResumeAfterBrokerAndNodeAreKilledWhileTheDiskIsFull(String provider) throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder.resolve("disk"));
        DurableScene scene =
            DurableScene.start(provider, folder, disk.folder().resolve("journal"))) {
      Path filler = fill(disk, scene);
      for (int kill = 0; kill < 2; kill++) {
        scene.broker().kill();
        scene.broker().restart();
        scene.awaitTaken(3);
        awaitBroker(scene); // with a full disk the node is not ready
      }
      scene.node().kill();
      Files.delete(filler);
      scene.node().restart();
      scene.hearMore();
      scene.endWithoutGap();
    }
  }

  private static void awaitBroker(DurableScene scene) {
    await()
        .atMost(DurableScene.TIMEOUT)
        .until(() -> scene.node().metric("sluice_broker_connected{source=\"jms\"}") == 1);
  }

  /** Returns when the node has felt it. */
  private static Path fill(SmallDisk disk, DurableScene scene) throws IOException {
    assertThat(scene.node().metric(FAILURES)).isZero();
    Path filler = disk.fill();
    await("the disk fails")
        .atMost(DurableScene.TIMEOUT)
        .until(() -> scene.node().metric(FAILURES) > 1);
    return filler;
  }

  @Test
  void shouldReportAGapOrLoseNothingWhenTheJournalIsDamaged() throws Exception {
    checkDamages("artemis", List.of(DurableDiskIT::cutDatabase, DurableDiskIT::delete));
  }

  @Tag("full")
  @ParameterizedTest
  @EachBroker
  void shouldReportAGapOrLoseNothingForEachDamageOfTheJournal(String provider) throws Exception {
    checkDamages(provider, DAMAGES);
  }

  private void checkDamages(String provider, List<Damage> damages) throws Exception {
    Path journal = folder.resolve("journal");
    try (DurableScene scene = DurableScene.start(provider, folder, journal)) {
      for (Damage damage : damages) {
        scene.goOn();
        scene.node().kill();
        damage.to(journal, scene.random());
        scene.goOn();
        scene.node().restart();
        scene.hearMore();
      }
      assertThat(scene.end().get("leastGaps").asInt()).as("at least for the last").isPositive();
    }
  }

  /** Damage of the files while the node is down. */
  private interface Damage {
    void to(Path journal, Random random) throws IOException;
  }

  private static void cutLog(Path journal, Random random) throws IOException {
    cut(journal, ".db-wal", random);
  }

  private static void cutDatabase(Path journal, Random random) throws IOException {
    cut(journal, ".db", random);
  }

  private static void cut(Path journal, String suffix, Random random) throws IOException {
    Path cut =
        files(journal).stream().filter(f -> f.toString().endsWith(suffix)).findAny().orElseThrow();
    try (RandomAccessFile file = new RandomAccessFile(cut.toFile(), "rw")) {
      file.setLength(file.length() - 1 - random.nextInt((int) Math.min(9_000, file.length())));
    }
  }

  private static void delete(Path journal, Random random) throws IOException {
    for (Path file : files(journal)) {
      Files.delete(file);
    }
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.sorted(Comparator.reverseOrder()).toList();
    }
  }
}
