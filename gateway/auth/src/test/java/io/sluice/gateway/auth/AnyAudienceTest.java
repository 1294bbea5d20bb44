package io.sluice.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.LoggedEvents;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Test of the warning about tokens without a required audience. */
final class AnyAudienceTest {
  private static final Config TOKENS =
      Config.defaults().with(AuthSettings.INTROSPECTION_URL, "http://127.0.0.1:1/introspect");

  private static List<String> loggedBy(Config config) throws UnusableAuth {
    try (LoggedEvents logged = LoggedEvents.of(TokenAuthenticator.class);
        AuthExecutor threads = new AuthExecutor(1, 1)) {
      TokenAuthenticator.open(AuthOptions.of(config), threads).ifPresent(TokenAuthenticator::close);
      return logged.names();
    }
  }

  @Test
  void shouldLogAMissingAudience() throws UnusableAuth {
    assertThat(loggedBy(TOKENS)).containsExactly("auth.any-audience");
  }

  @Test
  void shouldNotLogWithAnAudience() throws UnusableAuth {
    assertThat(loggedBy(TOKENS.with(AuthSettings.JWT_AUDIENCE, List.of("sluice")))).isEmpty();
  }

  @Test
  void shouldNotLogWithoutTokenAuthentication() throws UnusableAuth {
    assertThat(loggedBy(Config.defaults())).isEmpty();
  }
}
