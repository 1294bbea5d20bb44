package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.PluginJar;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.jndi.ActiveMQInitialContextFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProviderClassesTest {
  private static final Class<?> CLASSIC = ActiveMQConnectionFactory.class;
  private static final String INITIAL = "java.naming.factory.initial";

  @TempDir private Path folder;

  private Config jndi(Map<String, String> environment) {
    return Config.defaults()
        .with(BrokerSettings.PROVIDER, "jndi")
        .with(BrokerSettings.PROPERTIES, environment);
  }

  private Config factory(String className) {
    return Config.defaults()
        .with(BrokerSettings.PROVIDER, "factory")
        .with(BrokerSettings.CONNECTION_FACTORY, className);
  }

  private static List<ProviderClasses.Problem> problems(Config config) {
    return ProviderClasses.problems(ProviderOptions.of(config));
  }

  private static String what(Config config) {
    assertThat(problems(config)).hasSize(1);
    return problems(config).get(0).what();
  }

  @Test
  void shouldFindAContextFactoryOnTheClassPath() {
    Config config = jndi(Map.of(INITIAL, ActiveMQInitialContextFactory.class.getName()));
    assertThat(problems(config)).isEmpty();
  }

  @Test
  void shouldFindAContextFactoryInTheJars() throws Exception {
    PluginJar.write(folder, "plugged.Contexts", ActiveMQInitialContextFactory.class);
    Config config = jndi(Map.of(INITIAL, "plugged.Contexts"));
    assertThat(problems(config.with(BrokerSettings.JARS, folder.toString()))).isEmpty();
    assertThat(what(config))
        .isEqualTo(
            INITIAL
                + " is \"plugged.Contexts\", a class that is not on the class path; broker.jars is"
                + " empty");
  }

  @Test
  void shouldNameTheJarsWithoutTheClass() {
    Config config = jndi(Map.of(INITIAL, "no.Such")).with(BrokerSettings.JARS, folder.toString());
    assertThat(what(config))
        .isEqualTo(
            "%s is \"no.Such\", a class that is not in a jar of broker.jars (%s)"
                .formatted(INITIAL, folder));
  }

  @Test
  void shouldReportAClassOfAnotherKind() {
    assertThat(what(jndi(Map.of(INITIAL, "java.lang.String"))))
        .contains("\"java.lang.String\", which does not implement javax.naming.spi");
    assertThat(what(factory("java.lang.String"))).contains("does not implement jakarta.jms");
  }

  @Test
  void shouldReportAMissingContextFactory() {
    assertThat(what(jndi(Map.of("java.naming.provider.url", "tcp://a:1"))))
        .isEqualTo("has no " + INITIAL);
  }

  @Test
  void shouldLoadTheClassOfTheConnectionFactory() {
    assertThat(problems(factory(ActiveMQConnectionFactory.class.getName()))).isEmpty();
    assertThat(what(factory("no.such.Factory"))).startsWith("is \"no.such.Factory\", a class that");
    assertThat(what(factory("jakarta.jms.ConnectionFactory"))).contains("no public constructor");
  }

  @Test
  void shouldReportEveryPropertyThatTheConnectionFactoryDoesNotHave() {
    assertThat(problems(classic(Map.of("brokerURL", "tcp://127.0.0.1:1", "userName", "u"))))
        .isEmpty();
    assertThat(problems(classic(Map.of("brokerUrl", "tcp://127.0.0.1:1", "user", "u"))))
        .hasSize(2)
        .anySatisfy(
            problem -> {
              assertThat(problem.setting()).isEqualTo(BrokerSettings.PROPERTIES);
              assertThat(problem.entry()).isEqualTo("brokerUrl");
              assertThat(problem.what())
                  .isEqualTo(
                      "brokerUrl is not a property of "
                          + CLASSIC.getName()
                          + "; did you mean brokerURL?");
              assertThat(problem.expected())
                  .startsWith("one of ")
                  .contains(" brokerURL, ", " password, ", " userName,");
            });
  }

  @Test
  void shouldReportAValueThatAPropertyDoesNotAccept() {
    assertThat(what(classic(Map.of("producerWindowSize", "1 MB"))))
        .isEqualTo("producerWindowSize is \"1 MB\"");
    assertThat(what(classic(Map.of("statsEnabled", "yes")))).isEqualTo("statsEnabled is \"yes\"");
    assertThat(what(classic(Map.of("brokerURL", "tcp://u:secret@h:1 x"))))
        .startsWith("brokerURL is rejected: ")
        .doesNotContain("secret");
  }

  @Test
  void shouldReportOncePropertyWithOneAllowedValue() {
    assertThat(problems(classic(Map.of("useAsyncSend", "yes"))))
        .singleElement()
        .extracting(ProviderClasses.Problem::expected)
        .isEqualTo("useAsyncSend=false, or no useAsyncSend");
  }

  @Test
  void shouldReportAConnectionFactoryWhoseDependenciesAreMissing() throws Exception {
    PluginJar.write(
        folder,
        "plugged.Factory",
        CLASSIC,
        "static class Missing {} private final Object needed = new Missing();");

    String what = what(factory("plugged.Factory").with(BrokerSettings.JARS, folder.toString()));

    assertThat(what)
        .isEqualTo(
            "is \"plugged.Factory\", a class that cannot be instantiated:"
                + " java.lang.NoClassDefFoundError: plugged/Factory$Missing");
  }

  @Test
  void shouldReportAContextFactoryThatCannotBeInstantiated() throws Exception {
    String name = "plugged.Contexts";
    String body = "{ if (true) throw new IllegalStateException(\"no license\"); }";
    PluginJar.write(folder, name, ActiveMQInitialContextFactory.class, body);

    String what = what(jndi(Map.of(INITIAL, name)).with(BrokerSettings.JARS, folder.toString()));

    assertThat(what)
        .endsWith("cannot be instantiated: java.lang.IllegalStateException: no license");
  }

  @Test
  void shouldReportUnknownCapabilities() {
    Config config = classic(Map.of()).with(BrokerSettings.CAPABILITIES, List.of("delay", "delays"));
    assertThat(what(config)).isEqualTo("has \"delays\"");
  }

  @Test
  void shouldReportAReportThatCannotBeUsed() throws Exception {
    Path report = folder.resolve("provider-report.json");
    Config config = classic(Map.of()).with(BrokerSettings.REPORT, report.toString());
    assertThat(what(config))
        .isEqualTo("is \"" + report + "\", which cannot be used: there is no such file");
    Files.writeString(report, "{\"capabilities\": 7}");
    assertThat(what(config)).endsWith("it is not a report of sluice provider-check");
    Files.writeString(
        report, "{\"provider\": \"jndi\", \"connection-factory\": \"x\", \"capabilities\": []}");
    assertThat(what(config))
        .endsWith("it is the report of jndi x instead of factory " + CLASSIC.getName());
    Files.writeString(
        report,
        "{\"provider\": \"factory\", \"connection-factory\": \"%s\", \"capabilities\": []}"
            .formatted(CLASSIC.getName()));
    assertThat(problems(config)).isEmpty();
  }

  private Config classic(Map<String, String> properties) {
    return factory(CLASSIC.getName()).with(BrokerSettings.PROPERTIES, properties);
  }
}
