package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.ClassicBroker;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.ActiveMQConnection;
import org.apache.activemq.command.ConnectionControl;
import org.apache.activemq.transport.DefaultTransportListener;
import org.apache.activemq.transport.failover.FailoverTransport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Connections by a failover: URL to brokers that move their clients. */
final class ClassicFailoverIT {
  private static final long QUIET_MS = 2_000;

  @Tag("full")
  @Test
  void shouldNotFollowABrokerThatRebalancesItsClients() throws Exception {
    try (ClassicBroker broker = ClassicBroker.start();
        ClassicBroker other = ClassicBroker.start()) {
      ConnectionControl rebalance = new ConnectionControl();
      rebalance.setConnectedBrokers(other.url());
      rebalance.setRebalanceConnection(true);
      assertThat(isMoved(broker, rebalance)).isFalse();
    }
  }

  @Tag("full")
  @Test
  void shouldNotFollowABrokerThatNamesAnother() throws Exception {
    try (ClassicBroker broker = ClassicBroker.start();
        ClassicBroker other = ClassicBroker.start()) {
      ConnectionControl reconnect = new ConnectionControl();
      reconnect.setReconnectTo(other.url());
      assertThat(isMoved(broker, reconnect)).isFalse();
    }
  }

  /** Returns whether a connection to a broker reconnects when it receives a command. */
  private static boolean isMoved(ClassicBroker broker, ConnectionControl command) throws Exception {
    ClassicProvider provider =
        new ClassicProvider(
            ProviderOptions.of(
                Config.defaults()
                    .with(BrokerSettings.PROVIDER, "classic")
                    .with(BrokerSettings.URL, "failover:(" + broker.url() + ")")));
    try (ActiveMQConnection connection = (ActiveMQConnection) provider.connect(0, () -> {})) {
      connection.start();
      CountDownLatch moved = new CountDownLatch(1);
      connection.addTransportListener(
          new DefaultTransportListener() {
            @Override
            public void transportResumed() {
              moved.countDown();
            }
          });
      FailoverTransport transport = connection.getTransport().narrow(FailoverTransport.class);
      assertThat(transport.getConnectedTransportURI()).isEqualTo(new URI(broker.url()));
      transport.handleConnectionControl(command);
      return moved.await(QUIET_MS, TimeUnit.MILLISECONDS);
    }
  }
}
