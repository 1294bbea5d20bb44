package io.sluice.gateway.broker.provider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.broker.plugged.AmqpBroker;
import io.sluice.gateway.broker.provider.JmsClientOptions.Option;
import io.sluice.gateway.broker.provider.JmsClientOptions.Problem;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQPrefetchPolicy;
import org.apache.activemq.RedeliveryPolicy;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.blob.BlobTransferPolicy;
import org.apache.activemq.openwire.OpenWireFormatFactory;
import org.apache.activemq.transport.InactivityMonitor;
import org.apache.activemq.transport.failover.FailoverTransport;
import org.apache.activemq.transport.tcp.TcpTransport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JmsClientOptionsTest {
  private static final Path TABLE = Path.of("..", "docs", "reference", "jms-client-options.csv");

  /** Properties that a URL cannot set, or that are no options. */
  private static final Set<String> NO_OPTIONS =
      Set.of(
          "brokerurl",
          "inputstreamprefetch",
          "connectionttl-check",
          "ackbatchsize",
          // destination of an entry in a map of policies
          "queue",
          "topic",
          "tempqueue",
          "temptopic");

  private static ProviderOptions options(String provider, String url) {
    return ProviderOptions.of(
        Config.defaults().with(BrokerSettings.PROVIDER, provider).with(BrokerSettings.URL, url));
  }

  private static List<Problem> problems(String provider, String url) {
    return options(provider, url).clientProblems();
  }

  private static Set<String> setters(Class<?> type) {
    Set<Class<?>> simple =
        Set.of(
            boolean.class,
            Boolean.class,
            int.class,
            long.class,
            double.class,
            short.class,
            String.class);
    return Arrays.stream(type.getMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> method.getName().startsWith("set"))
        .filter(method -> method.getParameterCount() == 1)
        .filter(method -> simple.contains(method.getParameterTypes()[0]))
        .map(Method::getName)
        .map(name -> name.substring(3).toLowerCase(Locale.ROOT))
        .filter(name -> !NO_OPTIONS.contains(name))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> names(JmsClientOptions client) {
    return client.all().stream()
        .map(option -> option.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.toSet());
  }

  private static Set<String> prefixed(String prefix, Set<String> names) {
    return names.stream().map(prefix::concat).collect(Collectors.toSet());
  }

  @Test
  void shouldKnowAllOptionsOfArtemis() {
    Set<String> known = names(JmsClientOptions.ARTEMIS);

    assertThat(known)
        .containsAll(
            setters(org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory.class));
    Set<String> locator = setters(ServerLocator.class);
    locator.removeAll(Set.of("flowcontrolthreadpoolmaxsize", "onmessageclosetimeout"));
    assertThat(known).containsAll(locator);
    assertThat(known)
        .containsAll(
            TransportConstants.ALLOWABLE_CONNECTOR_KEYS.stream()
                .map(key -> key.toLowerCase(Locale.ROOT))
                .toList());
  }

  @Test
  void shouldKnowAllOptionsOfClassic() {
    Set<String> known = names(JmsClientOptions.CLASSIC);

    assertThat(known).containsAll(prefixed("jms.", setters(ActiveMQConnectionFactory.class)));
    assertThat(known)
        .containsAll(prefixed("jms.prefetchpolicy.", setters(ActiveMQPrefetchPolicy.class)));
    assertThat(known)
        .containsAll(prefixed("jms.redeliverypolicy.", setters(RedeliveryPolicy.class)));
    assertThat(known)
        .containsAll(prefixed("jms.blobtransferpolicy.", setters(BlobTransferPolicy.class)));
    assertThat(known).containsAll(setters(FailoverTransport.class));
    assertThat(known).containsAll(setters(TcpTransport.class));
    assertThat(known).containsAll(setters(InactivityMonitor.class));
    assertThat(known).containsAll(prefixed("wireformat.", setters(OpenWireFormatFactory.class)));
  }

  /** The client's classes are not on the class path. */
  @Test
  void shouldKnowAllOptionsOfQpidJms() throws Exception {
    Set<String> known = names(JmsClientOptions.QPID);
    String client = AmqpBroker.CLIENT.toString();

    try (URLClassLoader loader = ProviderClasses.loader(client)) {
      String jms = "org.apache.qpid.jms.";
      assertThat(known)
          .containsAll(prefixed("jms.", setters(loader.loadClass(QpidClient.FACTORY))))
          .containsAll(
              prefixed(
                  "jms.prefetchpolicy.",
                  setters(loader.loadClass(jms + "policy.JmsDefaultPrefetchPolicy"))))
          .containsAll(
              prefixed(
                  "jms.redeliverypolicy.",
                  setters(loader.loadClass(jms + "policy.JmsDefaultRedeliveryPolicy"))))
          .containsAll(
              prefixed(
                  "jms.deserializationpolicy.",
                  setters(loader.loadClass(jms + "policy.JmsDefaultDeserializationPolicy"))))
          .containsAll(
              prefixed(
                  "jms.messageidpolicy.",
                  setters(loader.loadClass(jms + "policy.JmsDefaultMessageIDPolicy"))))
          .containsAll(
              prefixed("amqp.", setters(loader.loadClass(jms + "provider.amqp.AmqpProvider"))))
          .containsAll(
              prefixed(
                  "transport.", setters(loader.loadClass(jms + "transports.TransportOptions"))));
    }
  }

  /** A permitted prefix would permit options that a later client adds. */
  @Test
  void shouldPermitPrefixesOnlyWhereNamesAreFree() {
    assertThat(
            Stream.of(JmsClientOptions.ARTEMIS, JmsClientOptions.CLASSIC, JmsClientOptions.QPID)
                .flatMap(client -> client.all().stream())
                .filter(option -> option.name().endsWith(".") && !option.isRestricted())
                .map(Option::name))
        .as("properties of a Java class or of a protocol")
        .containsExactlyInAnyOrder("socket.", "amqp.saslOptions.", "transport.ws.httpHeader.");
  }

  @Test
  void shouldRefuseFailoverOfQpidJms() {
    assertThat(problems("amqp", "failover:(amqp://a:1,amqp://b:2)"))
        .singleElement()
        .satisfies(
            problem ->
                assertThat(problem.what())
                    .isEqualTo(
                        "has failover:, but the client would reconnect and hide lost messages"));
    assertThat(problems("amqp", "amqp://a:1?jms.presettlePolicy.presettleAll=true")).hasSize(1);
    assertThat(problems("amqp", "amqps://a?amqp.vhost=v&transport.trustStoreLocation=/a"))
        .isEmpty();
    assertThat(plugged("factory", QpidClient.FACTORY, Map.of("remoteURI", "failover:(amqp://a:1)")))
        .hasSize(1);
  }

  private static Stream<Object[]> restricted() {
    return Stream.concat(
        JmsClientOptions.ARTEMIS.all().stream()
            .filter(Option::isRestricted)
            .map(option -> new Object[] {"artemis", option}),
        Stream.concat(
            JmsClientOptions.CLASSIC.all().stream()
                .filter(Option::isRestricted)
                .map(option -> new Object[] {"classic", option}),
            JmsClientOptions.QPID.all().stream()
                .filter(Option::isRestricted)
                .map(option -> new Object[] {"amqp", option})));
  }

  private static List<String> forbidden(Option option) {
    return Stream.of(
            "-2", "0", "1", "5", "true", "false", "999999999999", "x", option.min() - 1 + "")
        .filter(value -> !option.allows(value))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("restricted")
  void shouldRefuseEachForbiddenValueInEachPlace(String provider, Option option) {
    assertThat(forbidden(option)).isNotEmpty();
    for (String value : forbidden(option)) {
      String name = option.name();
      String encoded = "%" + Integer.toHexString(name.charAt(0)) + name.substring(1);
      List<String> urls =
          switch (provider) {
            case "artemis" ->
                List.of(
                    "tcp://a:1?" + name + "=" + value,
                    "tcp://a:1?tcpNoDelay=true;" + name + "=" + value,
                    "tcp://a:1?" + encoded + "=" + value,
                    "(tcp://a:1,tcp://b:2)?" + name + "=" + value,
                    "(tcp://a:1?" + name + "=" + value + ",tcp://b:2)",
                    "tcp://a:1#tcp://b:2?" + name + "=" + value);
            case "classic" ->
                List.of(
                    "tcp://a:1?" + name + "=" + value,
                    "tcp://a:1?trace=true&" + name.toUpperCase(Locale.ROOT) + "=" + value,
                    "tcp://a:1?" + encoded + "=" + value,
                    "failover:(tcp://a:1,tcp://b:2)?" + name + "=" + value,
                    "failover:(tcp://a:1?" + name + "=" + value + ",tcp://b:2)?randomize=false",
                    "failover:(tcp://a:1)?nested." + name + "=" + value);
            default ->
                List.of(
                    "amqp://a:1?" + name + "=" + value,
                    "amqps://a?amqp.vhost=v&" + name.toUpperCase(Locale.ROOT) + "=" + value,
                    "amqp://a:1?" + encoded + "=" + value);
          };
      for (String url : urls) {
        assertThat(problems(provider, url)).as(url).hasSize(1);
        assertThat(problems(provider, url).get(0).what().toLowerCase(Locale.ROOT))
            .contains(name.toLowerCase(Locale.ROOT) + "=" + value)
            .endsWith(option.why(value).toLowerCase(Locale.ROOT));
        assertThat(problems(provider, url).get(0).setting()).isEqualTo(BrokerSettings.URL);
        assertThatThrownBy(() -> options(provider, url).newProvider())
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith("broker.url has ");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("restricted")
  void shouldAcceptTheAllowedValue(String provider, Option option) {
    if (!option.values().equals("none")) {
      String value = option.min() <= option.max() ? option.min() + "" : option.values();
      assertThat(problems(provider, "tcp://a:1?" + option.name() + "=" + value)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jms.sendTimeout=5000",
        "jms.sendTimeout=1",
        "jms.sendTimeout=30000",
        "jms.connectResponseTimeout=5000",
        "wireFormat.maxInactivityDuration=500"
      })
  void shouldAcceptShorterTimeoutsOfClassic(String option) {
    assertThat(problems("classic", "tcp://a:1?" + option)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jms.sendTimeout=0", "jms.sendTimeout=30001", "jms.sendTimeout=-1"})
  void shouldRefuseLongerAndUnlimitedTimeoutsOfClassic(String option) {
    assertThat(problems("classic", "tcp://a:1?" + option))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.what()).endsWith("would be detected too late");
              assertThat(problem.expected())
                  .isEqualTo("jms.sendTimeout=1 to 30000, or no jms.sendTimeout");
            });
  }

  @Test
  void shouldSayThatAValueIsNoInteger() {
    assertThat(problems("classic", "tcp://a:1?jms.sendTimeout=5s"))
        .singleElement()
        .satisfies(
            problem ->
                assertThat(problem.what())
                    .isEqualTo("has jms.sendTimeout=5s, but it is no integer"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "vm://b",
        "fanout:(tcp://a:1)",
        "discovery:(multicast://default)",
        "failover:(vm://b)",
        "failover:(failover:(tcp://a:1))",
        "failover:(tcp://a:1,vm://b?x)",
        "peer://g/b",
        "masterslave:(tcp://a:1,tcp://b:2)",
        "static:(tcp://a:1)",
        "multicast://default",
        "udp://a:1"
      })
  void shouldRefuseTransportsOfClassic(String url) {
    assertThat(problems("classic", url)).isNotEmpty();
    assertThat(problems("classic", url).get(0).what()).startsWith("has ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"vm://0", "udp://231.7.7.7:9876", "jgroups://c?file=x"})
  void shouldRefuseTransportsOfArtemis(String url) {
    assertThat(problems("artemis", url)).isNotEmpty();
  }

  @Test
  void shouldRefuseUnknownOptionsWithoutTheirValue() {
    for (String provider : List.of("artemis", "classic")) {
      assertThat(problems(provider, "tcp://a:1?reconectAttempts=secret"))
          .singleElement()
          .satisfies(
              problem ->
                  assertThat(problem.what())
                      .isEqualTo("has the option reconectAttempts, which is unknown"));
    }
    assertThat(problems("artemis", "tcp://a:1?serverLocator.reconnectAttempts=-1")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tcp://a:1",
        "ssl://a:1?socket.verifyHostName=true&soTimeout=100",
        "failover:(tcp://a:1?tcpNoDelay=true,nio+ssl://b:2)?randomize=false&jms.userName=x",
        "tcp://[::1]:1?jms.redeliveryPolicy.maximumRedeliveries=3"
      })
  void shouldAcceptUrlsOfClassic(String url) {
    assertThat(problems("classic", url)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tcp://a:1",
        "(tcp://a:1?sslEnabled=true&trustStorePath=/a:b,tcp://[::1]:2)?retryInterval=5",
        "tcp://a:1?confirmationWindowSize=-1&minLargeMessageSize=1000"
      })
  void shouldAcceptUrlsOfArtemis(String url) {
    assertThat(problems("artemis", url)).isEmpty();
  }

  private static List<Problem> plugged(
      String provider, String factory, Map<String, String> properties) {
    return ProviderOptions.of(
            Config.defaults()
                .with(BrokerSettings.PROVIDER, provider)
                .with(BrokerSettings.CONNECTION_FACTORY, factory)
                .with(BrokerSettings.PROPERTIES, properties))
        .clientProblems();
  }

  @Test
  void shouldCheckThePropertiesOfKnownFactories() {
    String artemis =
        org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory.class.getName();
    String classic = ActiveMQConnectionFactory.class.getName();

    assertThat(plugged("factory", artemis, Map.of("reconnectAttempts", "-1")))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.setting()).isEqualTo(BrokerSettings.PROPERTIES);
              assertThat(problem.entry()).isEqualTo("reconnectAttempts");
            });
    assertThat(plugged("factory", artemis, Map.of("brokerURL", "tcp://a:1?reconnectAttempts=3")))
        .hasSize(1);
    assertThat(plugged("factory", classic, Map.of("optimizeAcknowledge", "true"))).hasSize(1);
    assertThat(plugged("factory", classic, Map.of("brokerURL", "failover:(tcp://a:1)"))).hasSize(4);
    assertThat(plugged("factory", classic, Map.of("brokerURL", "tcp://a:1"))).isEmpty();
    assertThat(plugged("factory", "com.example.Factory", Map.of("reconnectAttempts", "-1")))
        .isEmpty();
  }

  @Test
  void shouldCheckTheUrlsOfKnownJndiContexts() {
    String initial = "java.naming.factory.initial";
    assertThat(
            plugged(
                "jndi",
                "cf",
                Map.of(
                    initial,
                    "org.apache.activemq.artemis.jndi.ActiveMQInitialContextFactory",
                    "connectionFactory.cf",
                    "tcp://a:1?ha=true")))
        .hasSize(1);
    assertThat(
            plugged(
                "jndi",
                "cf",
                Map.of(
                    initial,
                    "org.apache.activemq.jndi.ActiveMQInitialContextFactory",
                    "java.naming.provider.url",
                    "failover:(tcp://a:1)?maxReconnectAttempts=-1&updateURIsSupported=true")))
        .extracting(Problem::what)
        .containsExactlyInAnyOrder(
            "has maxReconnectAttempts=-1, but the client would reconnect and hide lost messages",
            "has updateURIsSupported=true, but the client would choose or change its broker by"
                + " itself",
            "has no reconnectSupported, but the client would choose or change its broker by"
                + " itself",
            "has no jms.checkForDuplicates, but the client would drop forwarded copies");
  }

  private static Stream<String> lines(String name, JmsClientOptions client) {
    return client.all().stream()
        .filter(Option::isRestricted)
        .map(each -> "%s,%s,%s,%s".formatted(name, each.name(), allowed(each), each.why()));
  }

  private static String allowed(Option option) {
    return option.values().replaceFirst("(\\d) to (\\d)", "$1–$2");
  }

  @Test
  void shouldDocumentEachRestriction() throws IOException {
    String table =
        Stream.of(
                Stream.of("client,option,allowed,otherwise"),
                lines("Artemis", JmsClientOptions.ARTEMIS),
                lines("Classic", JmsClientOptions.CLASSIC),
                lines("Qpid JMS", JmsClientOptions.QPID))
            .flatMap(lines -> lines)
            .map(line -> line + "\n")
            .collect(Collectors.joining());
    if ("write".equals(System.getProperty("sluice.docs"))) {
      Files.writeString(TABLE, table);
    }
    assertThat(TABLE).as("-Dsluice.docs=write writes it anew").hasContent(table);
  }
}
