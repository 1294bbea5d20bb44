package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.handshake.Refusal;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NegotiateChallengeTest {
  private static final String WISH = "a=b&auth=negotiate";

  private static final Config KERBEROS =
      Config.defaults().with(AuthSettings.KERBEROS_KEYTAB, "gw.keytab");

  private static boolean asks(Config config, String query) {
    return ClientPortOptions.challenge(config).of(null, query) != null;
  }

  @Test
  void shouldChallengeWithNegotiate() {
    Refusal question = ClientPortOptions.challenge(KERBEROS).of(null, null);
    assertThat(question.status()).isEqualTo(401);
    assertThat(question.headers()).containsEntry("WWW-Authenticate", "Negotiate");
  }

  @Test
  void shouldChallengeIfTicketsAreTheOnlyCredential() {
    assertThat(asks(KERBEROS, null)).isTrue();
    assertThat(asks(KERBEROS.with(ServerSettings.TLS_CLIENT_AUTH, "optional"), null)).isTrue();
  }

  @Test
  void shouldChallengeOnRequestIfThereAreOtherCredentials() {
    for (Config other :
        List.of(
            KERBEROS.with(AuthSettings.ANONYMOUS, true),
            KERBEROS.with(AuthSettings.JWT_ISSUER, "https://id.example.com"),
            KERBEROS.with(AuthSettings.JWT_JWKS_URL, "https://id.example.com/jwks"),
            KERBEROS.with(AuthSettings.JWT_KEYS, List.of("key.pem")),
            KERBEROS.with(AuthSettings.INTROSPECTION_URL, "https://id.example.com/ask"))) {
      assertThat(asks(other, null)).isFalse();
      assertThat(asks(other, "auth=negotiate2&Auth=negotiate")).isFalse();
      assertThat(asks(other, WISH)).isTrue();
    }
  }

  @Test
  void shouldNotChallengeWithoutAKeytab() {
    assertThat(asks(Config.defaults(), WISH)).isFalse();
  }

  @Test
  void shouldNotChallengeRequestsWithACredential() {
    NegotiateChallenge challenge = ClientPortOptions.challenge(KERBEROS);
    assertThat(challenge.of(new Credential.Token("x"), WISH)).isNull();
    assertThat(challenge.of(new Credential.Ticket(new byte[0]), WISH)).isNull();
  }
}
