package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.RetainedMessages;
import io.sluice.gateway.broker.provider.ArtemisProvider;
import io.sluice.gateway.broker.provider.ClassicProvider;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.TestBroker;
import jakarta.jms.Connection;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Marker at a real broker, which the node finds again. */
final class DurableMarkerIT {
  @TempDir private Path folder;

  private static Provider provider(TestBroker broker) {
    Config config =
        Config.defaults()
            .with(BrokerSettings.PROVIDER, broker.provider())
            .with(BrokerSettings.URL, broker.url())
            .with(BrokerSettings.CLIENT_ID, "keepsake-it");
    return broker.provider().equals("classic")
        ? new ClassicProvider(ProviderOptions.of(config))
        : new ArtemisProvider(ProviderOptions.of(config));
  }

  private static Connection connect(Provider provider) throws Exception {
    Connection connection = provider.connect(0, () -> {});
    connection.start();
    return connection;
  }

  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldFindTheMarkerUntilItIsReplaced(String name) throws Exception {
    try (TestBroker broker = TestBroker.start(name)) {
      Provider provider = provider(broker);
      DurableMarker marker = new DurableMarker(folder.resolve("keepsake"), provider, "keepsake");
      try (Connection connection = connect(provider)) {
        assertThat(marker.find(connection)).isEqualTo(RetainedMessages.NONE);
        marker.replace(connection);
      }
      for (int i = 0; i < 3; i++) {
        try (Connection connection = connect(provider)) {
          assertThat(marker.find(connection)).as("search %d", i).isEqualTo(RetainedMessages.ALL);
        }
      }
      for (int i = 0; i < 3; i++) {
        try (Connection connection = connect(provider)) {
          assertThat(marker.find(connection)).as("visit %d", i).isEqualTo(RetainedMessages.ALL);
          marker.replace(connection);
        }
      }
    }
  }
}
