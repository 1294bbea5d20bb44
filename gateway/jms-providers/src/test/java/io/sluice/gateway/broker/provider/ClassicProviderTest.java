package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ClassicProviderTest {
  private static final String ADDED =
      "maxReconnectAttempts=0&updateURIsSupported=false&reconnectSupported=false"
          + "&jms.checkForDuplicates=false&startupMaxReconnectAttempts=1";

  @ParameterizedTest
  @CsvSource({
    "tcp://a:1, tcp://a:1",
    "'failover:(tcp://a:1,tcp://b:1)', 'failover:(tcp://a:1,tcp://b:1)?ADDED'",
    "failover:(tcp://a:1)?randomize=false, failover:(tcp://a:1)?randomize=false&ADDED",
    "failover:(tcp://a:1?x=1), failover:(tcp://a:1?x=1)?ADDED",
    "failover:(tcp://a:1)?maxReconnectAttempts=0, failover:(tcp://a:1)?ADDED",
  })
  void shouldLimitAFailoverUrlToOneAttemptAtItsBrokers(String url, String used) {
    assertThat(ClassicProvider.oneAttempt(url)).isEqualTo(used.replace("ADDED", ADDED));
  }
}
