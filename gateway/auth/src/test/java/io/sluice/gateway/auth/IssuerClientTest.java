package io.sluice.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testkit.FreePorts;
import io.sluice.testkit.Loopback;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class IssuerClientTest {
  @Test
  void shouldDescribeAFailedRequestInWords() throws Exception {
    String host = Loopback.address();
    URI nobody = URI.create("http://" + host + ":" + FreePorts.at(host) + "/jwks");
    AuthOptions.IssuerOptions options =
        new AuthOptions.IssuerOptions(Duration.ofSeconds(10), "", true);
    try (IssuerClient client = IssuerClient.open(options)) {
      assertThatThrownBy(() -> client.get(nobody).join())
          .satisfies(
              failure ->
                  assertThat(AuthenticationFailure.unwrapped(failure))
                      .isInstanceOf(IssuerClient.UnusableAnswer.class)
                      .hasMessage("request to " + nobody + " failed: connection refused"));
    }
  }
}
