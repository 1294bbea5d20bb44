package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;

/** Loads real JMS clients from folders, as a node does. */
final class PluggedJarsTest {
  private static final Path PROVIDERS = Path.of("target", "providers");
  private static final Path QPID_JMS = Path.of("amqp-client", "target", "amqp");
  private static final String CLASSIC = ActiveMQConnectionFactory.class.getName();
  private static final String QPID = "org.apache.qpid.jms.JmsConnectionFactory";
  private static final String CONTEXTS = "java.naming.factory.initial";
  private static final String QPID_CONTEXTS = "org.apache.qpid.jms.jndi.JmsInitialContextFactory";

  @TempDir private Path mixed;

  private static Config factory(Path jars, String className) {
    return Config.defaults()
        .with(BrokerSettings.PROVIDER, "factory")
        .with(BrokerSettings.JARS, jars.toString())
        .with(BrokerSettings.CONNECTION_FACTORY, className);
  }

  private static Config jndi(Path jars, Map<String, String> environment) {
    return Config.defaults()
        .with(BrokerSettings.PROVIDER, "jndi")
        .with(BrokerSettings.JARS, jars.toString())
        .with(BrokerSettings.PROPERTIES, environment);
  }

  private static List<ProviderClasses.Problem> problems(Config config) {
    return ProviderClasses.problems(ProviderOptions.of(config));
  }

  private void copy(Path folder) throws IOException {
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder)) {
      for (Path jar : jars) {
        Files.copy(jar, mixed.resolve(jar.getFileName()));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "javax-classic, org.apache.activemq.ActiveMQConnectionFactory, activemq-client-5.18.7.jar",
    "javax-qpid, org.apache.qpid.jms.JmsConnectionFactory, qpid-jms-client-1.16.0.jar"
  })
  void shouldRefuseAClientForJavax(String folder, String className, String jar) {
    Path jars = PROVIDERS.resolve(folder);
    assertThat(problems(factory(jars, className)))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.setting()).isEqualTo(BrokerSettings.JARS);
              assertThat(problem.what()).isEqualTo("has " + jar + ", which needs javax.jms");
              assertThat(problem.expected()).startsWith("a client for jakarta.jms");
            });
    assertThat(problems(jndi(jars, Map.of(CONTEXTS, "org.example.Contexts"))))
        .singleElement()
        .extracting(ProviderClasses.Problem::what)
        .isEqualTo("has " + jar + ", which needs javax.jms");
  }

  /** A folder may contain clients of both APIs; the configured one counts. */
  @Test
  void shouldRefuseAClientForJavaxBesideOneForJakarta() throws Exception {
    copy(PROVIDERS.resolve("javax-classic"));
    copy(QPID_JMS);
    assertThat(problems(factory(mixed, QPID))).isEmpty();
    assertThat(problems(factory(mixed, CLASSIC)))
        .singleElement()
        .extracting(ProviderClasses.Problem::what)
        .asString()
        .startsWith("is \"" + CLASSIC + "\", a class of activemq-client-5.18.7.jar, which needs");
    String contexts = "org.apache.activemq.jndi.ActiveMQInitialContextFactory";
    assertThat(problems(jndi(mixed, Map.of(CONTEXTS, contexts))))
        .singleElement()
        .extracting(ProviderClasses.Problem::what)
        .isEqualTo(
            CONTEXTS
                + " is \""
                + contexts
                + "\", a class of activemq-client-5.18.7.jar, which needs javax.jms");
  }

  /** The node has a class of this name, of its own version. */
  @Test
  void shouldNotUseTheClientOfTheNodeInsteadOfTheJars() throws Exception {
    copy(QPID_JMS);
    assertThat(problems(factory(mixed, CLASSIC)))
        .singleElement()
        .extracting(ProviderClasses.Problem::what)
        .isEqualTo(
            "is \"%s\", a class that is not in a jar of broker.jars (%s)"
                .formatted(CLASSIC, mixed));
    Config config =
        jndi(
            mixed,
            Map.of(
                CONTEXTS,
                "org.apache.activemq.jndi.ActiveMQInitialContextFactory",
                "java.naming.provider.url",
                "tcp://127.0.0.1:1"));
    Provider provider = ProviderOptions.of(config).newProvider();
    assertThatThrownBy(() -> provider.connect(0, () -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "JNDI name ConnectionFactory is %s; expected a jakarta.jms.ConnectionFactory in a jar"
                    .formatted(CLASSIC)
                + " of broker.jars");
  }

  private static Config amqp(String jars) {
    return Config.defaults()
        .with(BrokerSettings.PROVIDER, "amqp")
        .with(BrokerSettings.URL, "amqp://broker.example.com?jms.topicPrefix=amq.topic/")
        .with(BrokerSettings.JARS, jars);
  }

  @Test
  void shouldNeedQpidJmsForAmqp() {
    assertThat(problems(amqp(QPID_JMS.toString()))).isEmpty();
    assertThat(problems(amqp("")))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.setting()).isEqualTo(BrokerSettings.JARS);
              assertThat(problem.what())
                  .isEqualTo(
                      "is empty, and this installation has no client for broker.provider amqp");
            });
    assertThat(problems(amqp(mixed.toString())))
        .singleElement()
        .extracting(ProviderClasses.Problem::what)
        .isEqualTo("has no jar with " + QPID);
    assertThat(problems(amqp(PROVIDERS.resolve("javax-qpid").toString())))
        .singleElement()
        .extracting(ProviderClasses.Problem::what)
        .isEqualTo("has qpid-jms-client-1.16.0.jar, which needs javax.jms");
  }

  @Test
  void shouldAcceptAClientForJakarta() {
    Path jars = QPID_JMS;
    assertThat(problems(factory(jars, QPID))).isEmpty();
    assertThat(problems(jndi(jars, Map.of(CONTEXTS, QPID_CONTEXTS)))).isEmpty();
  }

  @Test
  void shouldAcceptAContextFactoryOfTheJdk() {
    Config config = jndi(QPID_JMS, Map.of(CONTEXTS, "com.sun.jndi.ldap.LdapCtxFactory"));
    assertThat(problems(config)).isEmpty();
  }

  @Test
  void shouldPreferTheLibrariesOfTheJars() throws Exception {
    String version = "io.netty.util.Version";
    try (URLClassLoader loader = ProviderClasses.loader(QPID_JMS.toString())) {
      assertThat(loader.loadClass(version).getClassLoader()).isSameAs(loader);
      assertThat(loader.getResources("META-INF/io.netty.versions.properties").nextElement())
          .asString()
          .contains("netty-");
      assertThat(loader.loadClass(Logger.class.getName())).isSameAs(Logger.class);
      assertThat(loader.loadClass("jakarta.jms.Message")).isSameAs(jakarta.jms.Message.class);
      assertThat(loader.loadClass("javax.naming.Context")).isSameAs(javax.naming.Context.class);
      assertThat(loader.loadClass(CLASSIC)).isSameAs(ActiveMQConnectionFactory.class);
    }
  }
}
