package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.PluginJar;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import java.nio.file.Path;
import java.util.Map;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.jndi.ActiveMQInitialContextFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProviderClassesTest {
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

  private static String what(Config config) {
    return ProviderClasses.problem(ProviderOptions.of(config)).orElseThrow().what();
  }

  @Test
  void shouldFindAContextFactoryOnTheClassPath() {
    Config config = jndi(Map.of(INITIAL, ActiveMQInitialContextFactory.class.getName()));
    assertThat(ProviderClasses.problem(ProviderOptions.of(config))).isEmpty();
  }

  @Test
  void shouldFindAContextFactoryInTheJars() throws Exception {
    PluginJar.write(folder, "plugged.Contexts", ActiveMQInitialContextFactory.class);
    Config config = jndi(Map.of(INITIAL, "plugged.Contexts"));
    assertThat(
            ProviderClasses.problem(
                ProviderOptions.of(config.with(BrokerSettings.JARS, folder.toString()))))
        .isEmpty();
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
            "%s is \"no.Such\", a class that is neither in a jar of broker.jars (%s) nor on the class"
                    .formatted(INITIAL, folder)
                + " path");
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
    assertThat(
            ProviderClasses.problem(
                ProviderOptions.of(factory(ActiveMQConnectionFactory.class.getName()))))
        .isEmpty();
    assertThat(what(factory("no.such.Factory"))).startsWith("is \"no.such.Factory\", a class that");
    assertThat(what(factory("jakarta.jms.ConnectionFactory"))).contains("no public constructor");
  }
}
