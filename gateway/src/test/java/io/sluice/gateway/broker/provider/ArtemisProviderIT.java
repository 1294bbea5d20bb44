package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.ArtemisProcess;
import jakarta.jms.Connection;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import java.time.Duration;
import org.apache.activemq.artemis.core.client.impl.ClientSessionInternal;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.junit.jupiter.api.Test;

final class ArtemisProviderIT {
  private static final Duration LONG = Duration.ofSeconds(30);

  @Test
  void shouldDeleteAQueueAfterTheBrokerHasNoticedTheEndOfItsSession() throws Exception {
    try (ArtemisProcess server = ArtemisProcess.start()) {
      Config config = Config.defaults().with(BrokerSettings.URL, server.url());
      Provider provider = ProviderOptions.of(config).newProvider();
      try (Connection connection = provider.connect(0, () -> {})) {
        connection.start();
        Session ended = provider.session(connection, Session.DUPS_OK_ACKNOWLEDGE);
        MessageConsumer consumer = provider.consumer(ended, provider.topic(ended, "ended"), null);
        ((ClientSessionInternal) ((ActiveMQSession) ended).getCoreSession()).cleanUp(false);
        provider.close(consumer, ended, connection);
        assertThat(server.consumers("ended")).as("refused by the broker").isEqualTo(1);

        server.closeSession("ended");
        Session other = provider.session(connection, Session.DUPS_OK_ACKNOWLEDGE);
        MessageConsumer last = provider.consumer(other, provider.topic(other, "other"), null);
        provider.close(last, other, connection);
        await().atMost(LONG).until(() -> server.consumers("ended") == 0);
      }
    }
  }
}
