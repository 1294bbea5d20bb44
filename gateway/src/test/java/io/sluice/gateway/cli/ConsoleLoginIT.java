package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.FreePorts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Login to the console of a real node by a certified OpenID Connect provider, in a browser. */
@Timeout(300)
final class ConsoleLoginIT {
  private final String issuer = "http://127.0.0.1:" + FreePorts.one();

  /** Node whose broker is not reachable. */
  private Config config() {
    return TestNode.config("artemis", "tcp://127.0.0.1:1")
        .with(AuthSettings.JWT_REFRESH_MIN, Duration.ofMillis(100))
        .with(AdminSettings.OIDC_ISSUER, issuer)
        .with(AdminSettings.OIDC_CLIENT_ID, "console")
        .with(AdminSettings.OIDC_ROLES, List.of("operator"));
  }

  @Tag("full")
  @Test
  void shouldLogInRenewAndLogOut() throws Exception {
    try (TestNode node = TestNode.start(config())) {
      String admin = "http://127.0.0.1:" + node.gateway().adminPort();
      assertThat(
              BrowserScript.run(
                  "../gateway/admin/console/test/real-login.mjs", Map.of(), admin, issuer))
          .containsExactly(
              "FORGED CALLBACK IS REFUSED",
              "OTHER STATE IS REFUSED",
              "USER WITHOUT ROLE IS REFUSED",
              "OPERATOR IS LOGGED IN",
              "TOKEN IS RENEWED",
              "OPERATOR IS LOGGED OUT");
    }
  }
}
