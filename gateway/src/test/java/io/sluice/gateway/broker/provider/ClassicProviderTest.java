package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ClassicProviderTest {
  @ParameterizedTest
  @CsvSource({
    "tcp://a:1, tcp://a:1",
    "'failover:(tcp://a:1,tcp://b:1)',"
        + " 'failover:(tcp://a:1,tcp://b:1)?maxReconnectAttempts=0&startupMaxReconnectAttempts=1'",
    "failover:(tcp://a:1)?randomize=false,"
        + " failover:(tcp://a:1)?randomize=false&maxReconnectAttempts=0"
        + "&startupMaxReconnectAttempts=1",
    "failover:(tcp://a:1?x=1),"
        + " failover:(tcp://a:1?x=1)?maxReconnectAttempts=0&startupMaxReconnectAttempts=1",
    "failover:(tcp://a:1)?maxReconnectAttempts=0,"
        + " failover:(tcp://a:1)?maxReconnectAttempts=0&startupMaxReconnectAttempts=1",
    "failover:(tcp://a:1)?startupMaxReconnectAttempts=1,"
        + " failover:(tcp://a:1)?startupMaxReconnectAttempts=1&maxReconnectAttempts=0",
  })
  void shouldLimitAFailoverUrlToOneAttempt(String url, String used) {
    assertThat(ClassicProvider.oneAttempt(url)).isEqualTo(used);
  }
}
