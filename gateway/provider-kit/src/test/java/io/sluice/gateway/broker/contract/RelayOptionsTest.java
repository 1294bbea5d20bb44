package io.sluice.gateway.broker.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses of brokers that a relay replaces. */
final class RelayOptionsTest {
  private static Config config(String provider, String url) {
    return Config.defaults().with(BrokerSettings.PROVIDER, provider).with(BrokerSettings.URL, url);
  }

  @ParameterizedTest
  @CsvSource({
    "artemis, tcp://a:1?sslEnabled=true, tcp://127.0.0.1:7?sslEnabled=true&verifyHost=false",
    "artemis, tcp://a:1?sslEnabled=false, tcp://127.0.0.1:7?sslEnabled=false",
    "artemis, tcp://localhost:1?sslEnabled=true, tcp://127.0.0.1:7?sslEnabled=true",
    "classic, ssl://a:1, ssl://127.0.0.1:7?socket.verifyHostName=false",
    "amqp, amqps://a, amqps://127.0.0.1:7?transport.verifyHost=false"
  })
  void shouldNotCompareTheRelaysNameWithTheCertificate(String provider, String url, String relayed)
      throws Exception {
    assertThat(
            RelayOptions.of(config(provider, url))
                .forRelay()
                .with("127.0.0.1", 7)
                .get(BrokerSettings.URL))
        .isEqualTo(relayed);
  }

  @Test
  void shouldNotRelayAnUnknownClientWithTls() throws Exception {
    Config config =
        config("factory", "").with(BrokerSettings.PROPERTIES, Map.of("uri", "amqps://a:1"));
    RelayOptions address = RelayOptions.of(config);
    assertThatThrownBy(address::forRelay)
        .isInstanceOf(Unchecked.class)
        .hasMessage("a relay does not have the name in the broker's certificate");
  }
}
