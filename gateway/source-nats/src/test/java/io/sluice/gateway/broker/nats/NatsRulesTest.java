package io.sluice.gateway.broker.nats;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.FoundProblems;
import io.sluice.gateway.config.NatsSettings;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the rules for the settings of NATS. */
final class NatsRulesTest {
  private static final String SERVED = "auth.anonymous: true\nnats.servers: [nats://nats:4222]\n";

  private static List<String> problems(String settings) {
    return FoundProblems.of(settings, NatsRules::check);
  }

  @Test
  void shouldAcceptServersTopicsAndCredentials() {
    assertThat(
            problems(
                "auth.anonymous: true\n"
                    + "nats.servers: [nats://one.example.com:4222, 'tls://[::1]:4222', tls://two]\n"
                    + "nats.topics: [orders.>, $KV.prices.>]\n"
                    + "nats.user: node\nnats.password: secret"))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"nats", "nats:4222", "http://nats:4222", "nats://a b:1"})
  void shouldReportInvalidServers(String server) {
    assertThat(problems("nats.servers: ['" + server + "']"))
        .contains("nats.servers: \"" + server + "\" is not a URL of NATS without user info");
  }

  @Test
  void shouldNotShowPasswords() {
    assertThat(problems("nats.servers: ['nats://node:secret@nats:4222']"))
        .contains("nats.servers: \"nats://***@nats:4222\" is not a URL of NATS without user info");
    Config config =
        Config.defaults().with(NatsSettings.TOKEN, "secret").with(NatsSettings.PASSWORD, "secret");
    assertThat(config.text(NatsSettings.TOKEN)).isEqualTo("***");
    assertThat(config.text(NatsSettings.PASSWORD)).isEqualTo("***");
  }

  @Test
  void shouldReportKeysWithoutEffect() {
    assertThat(problems("nats.topics: [news]\nnats.token: x"))
        .contains(
            "nats.topics: has no effect without nats.servers, which is not set",
            "nats.token: has no effect without nats.servers, which is not set");
    assertThat(problems(SERVED + "nats.password: x"))
        .contains("nats.password: has no effect without nats.user, which is not set");
    assertThat(problems(SERVED + "nats.trust: pom.xml"))
        .contains("nats.trust: has no effect without tls:// in nats.servers");
    assertThat(problems("nats.servers: [nats://a, tls://b]\nnats.trust: pom.xml"))
        .noneMatch(each -> each.startsWith("nats.trust"));
  }

  @Test
  void shouldReportTwoCredentials() {
    assertThat(problems(SERVED + "nats.user: a\nnats.token: b"))
        .contains("nats.user: is set together with nats.token");
  }

  @Test
  void shouldReportMissingFiles() {
    assertThat(problems(SERVED + "nats.credentials-file: absent.creds\nnats.trust: absent.pem"))
        .contains(
            "nats.credentials-file: \"absent.creds\" is not a readable file",
            "nats.trust: \"absent.pem\" is not a readable file");
  }
}
