package io.sluice.gateway.broker.provider;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.TopicRules;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.event.KeyValuePair;

/**
 * Options of the JMS client. Immutable, for any thread.
 *
 * @param provider artemis, classic, amqp, factory or jndi
 * @param url URL of the broker; null if it is not set
 * @param credentials identity of the node at the broker
 * @param publishMode auto, async or batch
 * @param connectionFactory class of the ConnectionFactory, or its JNDI name
 * @param properties bean properties of the ConnectionFactory, or the JNDI environment
 * @param jars folder with the jars of a plugged provider; empty if they are on the class path
 * @param wildcards spelling of wildcards of a plugged provider
 * @param internalNames patterns of reserved names that clients of a plugged provider may use
 * @param topicRules rules for names of topics
 * @param maxMessageBytes maximum bytes of a payload
 * @param identityProperty property with the id of a message; empty: the JMSMessageID
 * @param capabilities names of capabilities of a plugged provider
 * @param report file with further capabilities of it; empty: none
 */
public record ProviderOptions(
    String provider,
    String url,
    Credentials credentials,
    String publishMode,
    String connectionFactory,
    Map<String, String> properties,
    String jars,
    Wildcards wildcards,
    List<String> internalNames,
    TopicRules topicRules,
    long maxMessageBytes,
    String identityProperty,
    List<String> capabilities,
    String report) {

  private static final String AMQP = "amqp";

  // Maximum size of an encoded body per byte of payload, plus an offset.
  private static final long MAX_ENCODED_RATIO = 4;
  private static final long SLACK = 1024;

  /** Reads the options from the configuration. */
  public static ProviderOptions of(Config config) {
    String url = config.get(BrokerSettings.URL);
    String jars = config.get(BrokerSettings.JARS);
    boolean amqp = config.get(BrokerSettings.PROVIDER).equals(AMQP);
    return new ProviderOptions(
        config.get(BrokerSettings.PROVIDER),
        url,
        new Credentials(
            config.get(BrokerSettings.USER),
            config.get(BrokerSettings.USER_FILE),
            config.get(BrokerSettings.PASSWORD),
            config.get(BrokerSettings.PASSWORD_FILE),
            config.get(BrokerSettings.CLIENT_ID)),
        config.get(BrokerSettings.PUBLISH_MODE),
        amqp ? QpidClient.FACTORY : config.get(BrokerSettings.CONNECTION_FACTORY),
        amqp ? QpidClient.properties(url) : config.get(BrokerSettings.PROPERTIES),
        amqp && jars.isEmpty() ? QpidClient.folder() : jars,
        Wildcards.of(BrokerSettings.wildcards(config)),
        config.get(BrokerSettings.INTERNAL_NAMES),
        TopicSettings.topicRules(config),
        config.get(LimitSettings.BROKER_MESSAGE_BYTES),
        config.get(BrokerSettings.IDENTITY_PROPERTY),
        config.get(BrokerSettings.CAPABILITIES),
        config.get(BrokerSettings.REPORT));
  }

  /** Returns a text without credentials. */
  @Override
  public String toString() {
    return "ProviderOptions[" + provider + "]";
  }

  /** Returns the maximum bytes of an encoded body. A larger one is refused unread. */
  long maxBodyBytes() {
    return MAX_ENCODED_RATIO * maxMessageBytes + SLACK;
  }

  /**
   * Creates the provider; it is not connected.
   *
   * @throws IllegalArgumentException if an option of the JMS client would hide a loss
   */
  public Provider newProvider() {
    clientProblems().stream()
        .findFirst()
        .ifPresent(
            problem -> {
              throw new IllegalArgumentException(
                  problem.setting().key() + " " + problem.what() + "; use " + problem.expected());
            });
    return switch (provider) {
      case "artemis" -> new ArtemisProvider(this);
      case "classic" -> new ClassicProvider(this);
      default -> new PluggedProvider(this);
    };
  }

  /** Returns the class of the ConnectionFactory, or its JNDI name. */
  @Override
  public String connectionFactory() {
    return connectionFactory.isEmpty() && isJndi() ? "ConnectionFactory" : connectionFactory;
  }

  /**
   * Returns the pair that identifies the broker in log lines: its URL without credentials, or the
   * ConnectionFactory, which has no URL.
   */
  public KeyValuePair logPair() {
    return isJndi() || isFactory()
        ? new KeyValuePair("connection-factory", connectionFactory())
        : new KeyValuePair("url", ServiceUrl.masked(url));
  }

  /** Returns options of the JMS client that are not allowed. */
  List<JmsClientOptions.Problem> clientProblems() {
    return JmsClientOptions.problems(provider, url, connectionFactory(), properties);
  }

  /**
   * Returns the capabilities of a plugged provider.
   *
   * @throws IOException if the report cannot be read, or is that of another provider
   */
  Set<Capability> checkedCapabilities() throws IOException {
    Set<Capability> all = EnumSet.noneOf(Capability.class);
    all.addAll(report.isEmpty() ? Capability.ASSUMED : reported());
    capabilities.forEach(word -> Capability.of(word).ifPresent(all::add));
    return all;
  }

  private Set<Capability> reported() throws IOException {
    ProviderReport read = ProviderReport.read(report);
    String checked = (read.provider() + " " + read.connectionFactory()).strip();
    String configured = (provider + " " + connectionFactory()).strip();
    if (!checked.equals(configured)) {
      throw new IOException("it is the report of " + checked + " instead of " + configured);
    }
    return read.capabilities();
  }

  boolean isJndi() {
    return provider.equals("jndi");
  }

  boolean isFactory() {
    return provider.equals("factory");
  }

  boolean isAmqp() {
    return provider.equals(AMQP);
  }
}
