package io.sluice.gateway;

import static io.sluice.gateway.TestCluster.start;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates of nodes are renewed, and the authority behind them, without a restart. */
final class ClusterTlsReloadIT {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final String UP = "sluice_cluster_nodes{state=\"up\"}";
  private static final String OUTDATED = "sluice_cluster_certificate_outdated";
  private static final String REMAINING = "sluice_cluster_certificate_remaining_seconds";

  @TempDir private static Path folder;
  private static TestAuthority before;
  private static TestAuthority after;

  @BeforeAll
  static void create() {
    before = TestAuthority.create(folder, "before");
    after = TestAuthority.create(folder, "after");
  }

  /** The files of one node. */
  private record NodeFiles(Path certificate, Path key, Path authorities) {
    static NodeFiles create(String name) throws IOException {
      Path own = Files.createDirectory(folder.resolve(name));
      return new NodeFiles(
          own.resolve("node.pem"), own.resolve("node-key.pem"), own.resolve("authorities.pem"));
    }

    /** As of an authority that issues one for the node. */
    NodeFiles issue(TestAuthority authority) throws IOException {
      String alias = certificate.getParent().getFileName().toString();
      TestAuthority.Issued issued = authority.issue(alias, "CN=" + alias);
      replace(key, Files.readString(issued.key()));
      replace(certificate, Files.readString(issued.certificate()));
      return this;
    }

    NodeFiles trust(TestAuthority... trusted) throws IOException {
      StringBuilder all = new StringBuilder();
      for (TestAuthority authority : trusted) {
        all.append(Files.readString(authority.certificate()));
      }
      replace(authorities, all.toString());
      return this;
    }

    static void replace(Path file, String text) throws IOException {
      Path ready = Files.writeString(file.resolveSibling("new"), text);
      Files.move(ready, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    Config in(Config config) {
      return config
          .with(ServerSettings.TLS_RELOAD, Duration.ofMillis(50))
          .with(ClusterSettings.TLS_CERTIFICATE, certificate.toString())
          .with(ClusterSettings.TLS_KEY, key.toString())
          .with(ClusterSettings.TLS_CA, authorities.toString());
    }
  }

  /** Returns whether the node presents a certificate of this authority. */
  private static boolean shows(TestAuthority authority, int port) throws IOException {
    try (SSLSocket socket =
        (SSLSocket) authority.trust().getSocketFactory().createSocket("127.0.0.1", port)) {
      socket.startHandshake();
      return true;
    } catch (SSLHandshakeException another) {
      return false;
    }
  }

  @Tag("full")
  @Test
  void shouldChangeToAnotherAuthorityWithoutARestart() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("authority", broker, 3);
      NodeFiles one = NodeFiles.create("one").issue(before).trust(before);
      NodeFiles two = NodeFiles.create("two").issue(before).trust(before);
      try (TestNode first = start(one.in(cluster.config(0)));
          TestNode second = start(two.in(cluster.config(1)))) {
        await().atMost(LONG).until(() -> first.metric(UP) == 2);
        one.trust(before, after);
        two.trust(before, after);
        one.issue(after);
        two.issue(after);
        await().until(() -> shows(after, cluster.port(0)) && shows(after, cluster.port(1)));
        NodeFiles three = NodeFiles.create("three").issue(after).trust(after);
        try (TestNode third = start(three.in(cluster.config(2)))) {
          for (TestNode node : List.of(first, second, third)) {
            await().atMost(LONG).until(() -> node.metric(UP) == 3);
          }
        }
      }
    }
  }

  @Tag("full")
  @Test
  void shouldKeepItsCertificateWhileFilesAreBroken() throws Exception {
    try (TestBroker broker = TestBroker.start("artemis")) {
      TestCluster cluster = new TestCluster("broken", broker, 1);
      NodeFiles files = NodeFiles.create("broken").issue(before).trust(before);
      try (TestNode node = start(files.in(cluster.config(0)))) {
        assertThat(node.metric(OUTDATED)).isZero();
        assertThat(node.metric(REMAINING)).isBetween(29 * 86_400.0, 30 * 86_400.0);
        NodeFiles.replace(files.certificate(), "nonsense");
        await().until(() -> node.metric(OUTDATED) == 1);
        assertThat(node.metric(REMAINING)).isBetween(29 * 86_400.0, 30 * 86_400.0);
        files.issue(after);
        await().until(() -> node.metric(OUTDATED) == 0);
      }
    }
  }
}
