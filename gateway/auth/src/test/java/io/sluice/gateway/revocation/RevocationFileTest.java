package io.sluice.gateway.revocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.gateway.metrics.RevocationMeters;
import io.sluice.gateway.revocation.Revocation.Kind;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
final class RevocationFileTest {
  private static final int MAX = 10_000;

  @TempDir private Path folder;
  private Revocations revocations;
  private RevocationFile file;

  private Path path() {
    return folder.resolve("revocations");
  }

  @BeforeEach
  void open() throws UnusableRevocations {
    open(MAX);
  }

  private void open(int max) throws UnusableRevocations {
    RevocationOptions options = new RevocationOptions(Duration.ofHours(1), max, path().toString());
    revocations = Revocations.of(options);
    file =
        RevocationFile.open(options, revocations, RevocationMeters.of(new SimpleMeterRegistry()));
  }

  @AfterEach
  void close() {
    file.close();
  }

  private void reopen() throws UnusableRevocations {
    file.close();
    open(MAX);
  }

  private void awaitStored() throws Exception {
    revocations.stored().toCompletableFuture().get(120, TimeUnit.SECONDS);
  }

  @Test
  void shouldRestoreRevocationsAndRemovals() throws Exception {
    revocations.add(Kind.TOKEN, "t-1", Long.MAX_VALUE);
    revocations.add(Kind.SUBJECT, "ann \u00e9\n\ud800", Long.MAX_VALUE);
    revocations.add(Kind.TOKEN, "t-2", Long.MAX_VALUE);
    revocations.remove(Kind.TOKEN, "t-2");
    awaitStored();
    List<Revocation> before = revocations.entries();

    reopen();

    assertThat(revocations.entries()).containsExactlyInAnyOrderElementsOf(before);
    assertThat(revocations.active()).isEqualTo(2);
  }

  @Test
  void shouldHaveAStoredChangeOnTheDiskBeforeItIsClosed() throws Exception {
    revocations.add(Kind.TOKEN, "t-1", Long.MAX_VALUE);
    awaitStored();

    assertThat(Files.readString(path())).contains("\"t-1\"");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
        .isEqualTo("rw-------");
  }

  @Test
  void shouldReadAllLinesBeforeAndAfterDamagedOnes() throws Exception {
    revocations.add(Kind.TOKEN, "t-1", Long.MAX_VALUE);
    revocations.add(Kind.TOKEN, "t-2", Long.MAX_VALUE);
    revocations.add(Kind.TOKEN, "t-3", Long.MAX_VALUE);
    awaitStored();
    file.close();
    String text = Files.readString(path());
    Files.writeString(path(), text.replace("\"t-2\"", "\"t-x\"") + "0123 half a li");

    open(MAX);

    assertThat(revocations.entries())
        .extracting(Revocation::value)
        .containsExactlyInAnyOrder("t-1", "t-3");
    assertThat(Files.readString(folder.resolve("revocations.damaged"))).contains("t-x", "half");
    assertThat(Files.readString(path())).doesNotContain("t-x", "half");
  }

  @Test
  void shouldReplaceLinesThatHaveBecomeMany() throws Exception {
    for (int i = 0; i < 10_000; i++) {
      revocations.add(Kind.TOKEN, "t-1", Long.MAX_VALUE);
    }
    awaitStored();
    revocations.add(Kind.TOKEN, "t-1", Long.MAX_VALUE);
    awaitStored();
    revocations.add(Kind.TOKEN, "t-1", Long.MAX_VALUE);
    awaitStored();

    assertThat(Files.readAllLines(path())).hasSizeLessThan(2_000);
  }

  @Test
  void shouldRejectAFileThatAnotherNodeUses() {
    Revocations others = new Revocations(1_000, 3, System::currentTimeMillis);
    RevocationOptions options = new RevocationOptions(Duration.ofHours(1), 3, path().toString());

    assertThatThrownBy(
            () ->
                RevocationFile.open(
                    options, others, RevocationMeters.of(new SimpleMeterRegistry())))
        .isInstanceOf(UnusableRevocations.class)
        .hasMessage(path().toAbsolutePath() + " is locked by another node or process");
  }

  @Tag("full")
  @Test
  void shouldReportAChangeThatCannotBeStored() throws Exception {
    Files.createDirectories(folder.resolve("revocations.new").resolve("full"));
    for (int i = 0; i < 2_000; i++) { // after these, or within them, all lines are replaced
      revocations.add(Kind.TOKEN, "t-1", Long.MAX_VALUE);
    }
    revocations
        .stored()
        .toCompletableFuture()
        .exceptionally(failure -> null)
        .get(120, TimeUnit.SECONDS);

    revocations.add(Kind.TOKEN, "t-2", Long.MAX_VALUE);

    assertThat(revocations.stored().toCompletableFuture())
        .failsWithin(Duration.ofSeconds(30))
        .withThrowableThat()
        .havingRootCause()
        .isInstanceOf(DirectoryNotEmptyException.class);
    Files.delete(folder.resolve("revocations.new").resolve("full"));
    await().atMost(Duration.ofMinutes(2)).until(() -> Files.readString(path()).contains("t-2"));
  }

  @Test
  void shouldStoreNoMoreThanTheLimit() throws Exception {
    for (int i = 0; i < 5; i++) {
      revocations.add(Kind.TOKEN, "t-" + i, Long.MAX_VALUE);
    }
    awaitStored();
    file.close();

    open(3);

    assertThat(revocations.size()).isEqualTo(3);
  }

  @Test
  void shouldAppendToAFileWithoutALineFeedAtItsEnd() throws Exception {
    file.close();
    Files.writeString(path(), "half", StandardOpenOption.TRUNCATE_EXISTING);

    open(MAX);
    revocations.add(Kind.TOKEN, "t-1", Long.MAX_VALUE);
    awaitStored();
    reopen();

    assertThat(revocations.active()).isEqualTo(1);
  }
}
