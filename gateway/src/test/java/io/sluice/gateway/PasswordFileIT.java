package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.testkit.ClassicBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node whose user and password for the broker are files. */
@Timeout(180)
final class PasswordFileIT {
  @TempDir private Path folder;

  @Test
  void shouldReadTheFilesAtEachConnect() throws Exception {
    Path user = Files.writeString(folder.resolve("user"), "node\n");
    Path password = Files.writeString(folder.resolve("password"), "old\n");
    try (ClassicBroker broker = ClassicBroker.startWithUser("node", "new");
        TestNode node =
            TestNode.start(
                TestNode.config(broker.provider(), broker.url())
                    .with(BrokerSettings.USER_FILE, user.toString())
                    .with(BrokerSettings.PASSWORD_FILE, password.toString()))) {
      await()
          .until(() -> node.metric("sluice_broker_reconnect_attempts_total{source=\"jms\"}") >= 2);
      assertThat(node.metric("sluice_broker_connected{source=\"jms\"}")).isZero();
      Files.delete(password);
      double before = node.metric("sluice_broker_reconnect_attempts_total{source=\"jms\"}");
      await()
          .until(
              () ->
                  node.metric("sluice_broker_reconnect_attempts_total{source=\"jms\"}")
                      >= before + 2);
      Files.writeString(password, "new\n");
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(node.metric("sluice_broker_connected{source=\"jms\"}")).isEqualTo(1));
    }
  }
}
