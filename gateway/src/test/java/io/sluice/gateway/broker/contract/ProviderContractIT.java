package io.sluice.gateway.broker.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestScope;
import io.sluice.gateway.broker.contract.ContractResult.Outcome;
import io.sluice.gateway.broker.plugged.AmqpBroker;
import io.sluice.gateway.broker.plugged.ForgetfulFactory;
import io.sluice.gateway.broker.plugged.Jms11Factory;
import io.sluice.gateway.broker.plugged.LimitedFactory;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.rewriting.RewritingFactory;
import io.sluice.gateway.rewriting.RewritingFactory.Ids;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.TestAuthority;
import io.sluice.testkit.TestAuthority.Issued;
import io.sluice.testkit.TestBroker;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the contract of providers at real brokers; {@link io.sluice.gateway.cli.ProviderCheckIT}
 * runs it at a broker of AMQP.
 */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
final class ProviderContractIT {
  /** Each waits for 15 seconds. */
  private static final int ATTEMPTS = 8;

  /** Checks of what JMS 1.1 does not have, and those without their precondition. */
  private static final String[] NOT_OF_JMS_11 = {
    "shared", "shared-patterns", "durable", "durable-patterns", "delay", "credentials", "tls"
  };

  private static Map<String, String> run(Config config, String... names) throws Exception {
    return run(config, null, names);
  }

  private static Map<String, String> run(Config config, BrokerRestart restart, String... names)
      throws Exception {
    Map<String, String> different = new LinkedHashMap<>();
    Config impatient = config.with(BrokerSettings.CANARY_TIMEOUT, Duration.ofSeconds(3));
    try (ProviderContract contract =
        new ProviderContract(ContractOptions.of(impatient, "checked"), restart)) {
      assertConnected(contract);
      List<String> checks = new ArrayList<>(names.length == 0 ? contract.checks() : List.of(names));
      if (restart == null) {
        assertThat(contract.run("restart").reason()).isEqualTo("--restart is not set");
        checks.remove("restart");
      }
      for (String check : checks) {
        ContractResult result = contract.run(check);
        if (!result.works()) {
          different.put(check, result.outcome().word() + " " + result.reason());
        }
      }
    }
    return different;
  }

  /** Waits longer than the command: a loaded machine starts several brokers at the same time. */
  private static void assertConnected(ProviderContract contract) throws InterruptedException {
    String problem = contract.connectionProblem();
    for (int i = 0; i < ATTEMPTS && !problem.isEmpty(); i++) {
      problem = contract.connectionProblem();
    }
    assertThat(problem).isEmpty();
  }

  private static Config config(String provider, String url) {
    return Config.defaults().with(BrokerSettings.PROVIDER, provider).with(BrokerSettings.URL, url);
  }

  private static Config factory(Class<?> factory, Map<String, String> properties) {
    return Config.defaults()
        .with(BrokerSettings.PROVIDER, "factory")
        .with(BrokerSettings.CONNECTION_FACTORY, factory.getName())
        .with(BrokerSettings.PROPERTIES, properties);
  }

  @Test
  void shouldHoldAtArtemis() throws Exception {
    try (TestBroker server = TestBroker.start("artemis")) {
      assertThat(run(config("artemis", server.url())))
          .containsExactly(
              Map.entry("credentials", "unchecked broker.user is not set"),
              Map.entry("tls", "unchecked the URL does not use TLS"));
    }
  }

  @Tag("full")
  @Test
  void shouldHoldWithAnotherSeparatorOfLevels() throws Exception {
    try (TestBroker server = ArtemisProcess.start("--separator", "/")) {
      Config config =
          factory(
                  org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory.class,
                  Map.of("brokerURL", server.url()))
              .with(BrokerSettings.WILDCARDS, Map.of("rest", "#", "separator", "/"));
      assertThat(run(config)).containsOnlyKeys("credentials", "tls");
    }
  }

  @Test
  void shouldHoldAtClassicExceptWhatItDoesNotSupport() throws Exception {
    try (TestBroker server = TestBroker.start("classic")) {
      Map<String, String> different = run(config("classic", server.url()));
      assertThat(different).containsOnlyKeys(NOT_OF_JMS_11);
      assertThat(different.values()).noneMatch(each -> each.startsWith(Outcome.FAILS.word()));
    }
  }

  @Test
  void shouldFindWrongWildcards() throws Exception {
    try (AmqpBroker amqp = new AmqpBroker()) {
      Map<String, String> different =
          run(amqp.withoutWildcards(), "patterns", "shared-patterns", "durable-patterns");
      assertThat(different.remove("patterns"))
          .startsWith("refused unsupported: this broker does not support patterns as configured");
      assertThat(different)
          .containsExactly(
              Map.entry("shared-patterns", "unchecked patterns do not work"),
              Map.entry("durable-patterns", "unchecked patterns do not work"));
    }
  }

  @Test
  void shouldFindOutWhetherPasswordsAreChecked() throws Exception {
    try (TestBroker open = TestBroker.start("artemis");
        TestBroker closed = ArtemisProcess.start("--user", "ann", "--password", "secret")) {
      assertThat(run(login(open), "credentials").get("credentials"))
          .isEqualTo("fails the broker accepts a wrong password");
      assertThat(run(login(closed), "credentials")).isEmpty();
    }
  }

  private static Config login(TestBroker server) {
    return config("artemis", server.url())
        .with(BrokerSettings.USER, "ann")
        .with(BrokerSettings.PASSWORD, "secret");
  }

  @Test
  void shouldFindOutWhetherTheNameInTheCertificateIsChecked(@TempDir Path folder) throws Exception {
    Issued certificate =
        TestAuthority.create(folder, "authority").issue("broker", "CN=b", "SAN=dns:localhost");
    try (TestBroker server = TestBroker.startWithTls("artemis", certificate)) {
      String url =
          "tcp://localhost:%d?sslEnabled=true&trustStorePath=%s&trustStorePassword=%s"
              .formatted(
                  URI.create(server.url()).getPort(), certificate.store(), TestAuthority.PASSWORD);
      assertThat(run(config("artemis", url), "tls", "reconnect", "half-open")).isEmpty();
      assertThat(run(config("artemis", url + "&verifyHost=false"), "tls"))
          .containsExactly(
              Map.entry(
                  "tls", "fails the client accepts a certificate for another name, at 127.0.0.2"));
    }
  }

  @Test
  void shouldKeepMessagesOverARestart(@TempDir Path folder) throws Exception {
    try (TestBroker server = TestBroker.start("artemis", folder.resolve("data"))) {
      BrokerRestart restart =
          () -> {
            server.kill();
            server.restart();
          };
      assertThat(run(config("artemis", server.url()), restart, "restart")).isEmpty();
    }
  }

  @Test
  void shouldFindABrokerThatLosesPersistentMessages() throws Exception {
    try (TestBroker server = TestBroker.start("artemis")) {
      BrokerRestart restart =
          () -> {
            server.kill();
            server.restart();
          };
      assertThat(run(config("artemis", server.url()), restart, "restart"))
          .hasEntrySatisfying("restart", result -> assertThat(result).startsWith("fails "));
    }
  }

  static Stream<Ids> unusable() {
    return TestScope.cases(2, Ids.PER_CONSUMER, Ids.REPEATED, Ids.CONSTANT, Ids.MISSING);
  }

  @ParameterizedTest
  @MethodSource("unusable")
  void shouldFindUnusableIds(Ids ids) throws Exception {
    try (TestBroker server = TestBroker.start("artemis")) {
      Map<String, String> properties =
          Map.of("provider", "artemis", "url", server.url(), "ids", ids.name(), "seed", "1");
      assertThat(run(factory(RewritingFactory.class, properties), "ids"))
          .hasSize(1)
          .hasEntrySatisfying("ids", result -> assertThat(result).startsWith("fails "));
    }
  }

  @Test
  void shouldServeWhatAForgetfulClientCanDo() throws Exception {
    try (TestBroker server = TestBroker.start("artemis")) {
      Config forgetful =
          factory(ForgetfulFactory.class, Map.of("provider", "artemis", "url", server.url()))
              .with(BrokerSettings.WILDCARDS, Map.of("rest", "#"));
      assertThat(
              run(
                  forgetful,
                  "patterns",
                  "queues",
                  "queue-browse",
                  "durable",
                  "node-durable",
                  "durable-patterns"))
          .containsExactly(
              Map.entry(
                  "durable-patterns",
                  "refused unsupported: this broker refuses such subscriptions to patterns"));
    }
  }

  @Test
  void shouldReportWhatALimitedClientRefuses() throws Exception {
    try (TestBroker server = TestBroker.start("artemis")) {
      Config limited =
          factory(LimitedFactory.class, Map.of("provider", "artemis", "url", server.url()));
      Map<String, String> different =
          run(limited, "delay", "queue-selectors", "shared", "durable", "queues", "transactions");
      assertThat(different).containsOnlyKeys("delay", "queue-selectors", "shared", "durable");
      assertThat(different.get("queue-selectors")).startsWith("refused unsupported: ");
      assertThat(different.get("shared")).startsWith("refused unsupported: ");
    }
  }

  private static Map<String, String> runOfJms11(TestBroker server, String... names)
      throws Exception {
    String classic = String.valueOf(server.provider().equals("classic"));
    Map<String, String> properties =
        Map.of("provider", server.provider(), "url", server.url(), "refuses", classic);
    Config config =
        factory(Jms11Factory.class, properties)
            .with(
                BrokerSettings.WILDCARDS,
                Map.of("rest", server.provider().equals("artemis") ? "#" : ">"));
    Map<String, String> different = run(config, names);
    assertThat(different.values()).noneMatch(each -> each.contains("broker-unavailable"));
    return different;
  }

  /** As old clients of TIBCO EMS and others, which run with the interfaces of JMS 3. */
  @Test
  void shouldServeAClientOfJms11() throws Exception {
    try (TestBroker server = TestBroker.start("artemis")) {
      Map<String, String> different =
          runOfJms11(server, "ids", "bodies", "patterns", "queues", "shared", "delay");
      assertThat(different)
          .containsOnlyKeys("shared", "delay")
          .allSatisfy((check, result) -> assertThat(result).startsWith("refused unsupported: "));
    }
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldRefuseOnlyWhatAClientOfJms11DoesNotHave(String provider) throws Exception {
    try (TestBroker server = TestBroker.start(provider)) {
      Map<String, String> different = runOfJms11(server);
      assertThat(different).containsOnlyKeys(NOT_OF_JMS_11);
      different.keySet().removeAll(Set.of("credentials", "tls"));
      assertThat(different.values()).allMatch(each -> each.startsWith("refused unsupported: "));
    }
  }
}
