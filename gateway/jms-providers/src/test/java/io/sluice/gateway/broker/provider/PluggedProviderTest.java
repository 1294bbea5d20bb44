package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQConnectionMetaData;
import org.junit.jupiter.api.Test;

/** Connects of a JMS client that does not return. */
final class PluggedProviderTest {
  private static final CountDownLatch CLOSED = new CountDownLatch(1);

  /** ConnectionFactory whose connections start only when the thread is interrupted. */
  @SuppressWarnings("serial")
  public static final class Blocking extends ActiveMQConnectionFactory {
    @Override
    public Connection createConnection() {
      Class<?>[] type = {Connection.class};
      return (Connection)
          Proxy.newProxyInstance(
              Blocking.class.getClassLoader(),
              type,
              (self, method, arguments) -> {
                switch (method.getName()) {
                  case "start" -> awaitInterrupt();
                  case "close" -> CLOSED.countDown();
                  case "getMetaData" -> {
                    return ActiveMQConnectionMetaData.INSTANCE;
                  }
                  default -> {
                    // no effect
                  }
                }
                return null;
              });
    }

    private static void awaitInterrupt() {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        // starts now
      }
    }
  }

  @Test
  void shouldAbandonAConnectWithoutEnd() throws Exception {
    Config config =
        Config.defaults()
            .with(BrokerSettings.PROVIDER, "factory")
            .with(BrokerSettings.CONNECTION_FACTORY, Blocking.class.getName());
    PluggedProvider provider =
        new PluggedProvider(ProviderOptions.of(config), Duration.ofMillis(50));

    assertThatThrownBy(() -> provider.connect(0, () -> {}))
        .isInstanceOf(JMSException.class)
        .hasMessageStartingWith("the JMS client has not connected within 0 s");

    assertThat(CLOSED.await(120, TimeUnit.SECONDS)).as("a late connection is closed").isTrue();
  }
}
