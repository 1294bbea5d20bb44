package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.activemq.broker.Broker;
import org.apache.activemq.broker.BrokerFilter;
import org.apache.activemq.broker.BrokerPlugin;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.ConnectionContext;
import org.apache.activemq.broker.TransportConnector;
import org.apache.activemq.command.ConnectionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node whose user and password for the broker are files. */
@Timeout(120)
final class PasswordFileIT {
  @TempDir private Path folder;

  private static BrokerService broker() throws Exception {
    BrokerService broker = new BrokerService();
    broker.setBrokerName("password-" + System.nanoTime());
    broker.setPersistent(false);
    broker.setUseJmx(false);
    broker.setUseShutdownHook(false);
    broker.setPlugins(new BrokerPlugin[] {Password::new});
    broker.addConnector("tcp://127.0.0.1:0");
    broker.start();
    broker.waitUntilStarted();
    return broker;
  }

  /** Lets in one user only. */
  private static final class Password extends BrokerFilter {
    Password(Broker next) {
      super(next);
    }

    @Override
    public void addConnection(ConnectionContext context, ConnectionInfo info) throws Exception {
      if (!"node".equals(info.getUserName()) || !"new".equals(info.getPassword())) {
        throw new SecurityException("another user, or another password");
      }
      super.addConnection(context, info);
    }
  }

  @Test
  void shouldReadThemAtEachConnect() throws Exception {
    BrokerService broker = broker();
    TransportConnector connector = broker.getTransportConnectors().get(0);
    Path user = Files.writeString(folder.resolve("user"), "node\n");
    Path password = Files.writeString(folder.resolve("password"), "old\n");
    Config config =
        TestNode.config("classic", "tcp://127.0.0.1:" + connector.getConnectUri().getPort())
            .with(Settings.BROKER_USER_FILE, user.toString())
            .with(Settings.BROKER_PASSWORD_FILE, password.toString());
    try (TestNode node = TestNode.start(config)) {
      await().until(() -> node.metric("sluice_broker_reconnect_attempts_total") >= 2);
      assertThat(node.metric("sluice_broker_connected")).isZero();
      Files.delete(password);
      double before = node.metric("sluice_broker_reconnect_attempts_total");
      await().until(() -> node.metric("sluice_broker_reconnect_attempts_total") >= before + 2);
      Files.writeString(password, "new\n");
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(node.metric("sluice_broker_connected")).isEqualTo(1));
    } finally {
      broker.stop();
    }
  }
}
