package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.http.Pages;
import io.sluice.gateway.node.StartFailure;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A node that cannot start leaves nothing behind, whichever of its parts is at fault. */
@Timeout(180)
@Isolated("observes the whole process")
final class FailedStartIT {
  private static final List<String> OURS = List.of("sluice-", "vert.x-");

  @TempDir private static Path folder;

  private static TestCertificate certificate;

  @BeforeAll
  static void create() {
    certificate = TestCertificate.create(folder, "node", "EC");
  }

  /** Everything that a start opens before it listens. */
  private static Config everything() {
    return TestNode.config("artemis", "tcp://127.0.0.1:1")
        .with(ServerSettings.TLS_CERTIFICATE, certificate.certificate().toString())
        .with(ServerSettings.TLS_KEY, certificate.key().toString())
        .with(AuthSettings.JWT_KEYS, List.of(certificate.certificate().toString()))
        .with(AuthSettings.INTROSPECTION_URL, "http://127.0.0.1:1/introspect")
        .with(AuthSettings.INTROSPECTION_CLIENT_ID, "node")
        .with(AdminSettings.AUDIT_FILE, folder.resolve("audit.log").toString())
        .with(HistorySettings.JOURNAL_FOLDER, folder.resolve("journal").toString());
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> OURS.stream().anyMatch(thread.getName()::startsWith))
        .collect(Collectors.toSet());
  }

  private static void assertFailsWithoutTrace(Config config, String message) {
    Set<Thread> before = threads();
    assertThatThrownBy(() -> Gateway.start(config, Pages.none()))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining(message);
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(threads()).as("threads that were not there before").isSubsetOf(before));
  }

  @Test
  void shouldReleaseResourcesIfAPartCannotBeOpened() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    String missing = folder.resolve("missing").toString();
    String inside = file.resolve("inside").toString();
    assertFailsWithoutTrace(
        everything().with(AuthSettings.JWT_KEYS, List.of(missing)), "auth.jwt.keys");
    assertFailsWithoutTrace(everything().with(AdminSettings.AUDIT_FILE, inside), "audit.file");
    assertFailsWithoutTrace(
        everything().with(HistorySettings.JOURNAL_FOLDER, inside), "journal.folder");
    assertFailsWithoutTrace(
        everything().with(AdminSettings.TOKEN_FILE, missing), "admin.token-file");
    assertFailsWithoutTrace(
        everything().with(ClusterSettings.NAME, "any").with(ClusterSettings.SECRET_FILE, missing),
        "cluster.secret-file");
    assertStarts();
  }

  @Test
  void shouldReleaseResourcesIfAPortIsInUse() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      int port = taken.getLocalPort();
      assertFailsWithoutTrace(everything().with(ServerSettings.PORT, port), "server.port");
      assertFailsWithoutTrace(everything().with(AdminSettings.PORT, port), "admin.port");
    }
    assertStarts();
  }

  /** Files are free again, too: the journal's lock, for one. */
  private static void assertStarts() {
    try (TestNode node = TestNode.start(everything())) {
      assertThat(node.gateway().port()).isPositive();
    }
  }
}
