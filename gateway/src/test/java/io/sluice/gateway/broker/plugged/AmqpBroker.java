package io.sluice.gateway.broker.plugged;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.BrokerJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Artemis as a broker of AMQP 1.0, with Qpid JMS in a folder as its client. Any thread. */
public final class AmqpBroker implements AutoCloseable {
  private static final Path SERVER = Path.of("target", "providers", "artemis-amqp");

  /** Folder of Qpid JMS. */
  public static final Path CLIENT = Path.of("amqp-client", "target", "amqp");

  private final BrokerJvm jvm =
      BrokerJvm.artemisWith(SERVER.resolve("*").toString(), "--port", "0");

  /** Returns the URL for Qpid JMS. */
  public String url() {
    return "amqp://127.0.0.1:" + jvm.port();
  }

  /** Returns the settings of a node, with the wildcards of Artemis. */
  public Config config() {
    return withoutWildcards().with(BrokerSettings.WILDCARDS, Map.of("rest", "#"));
  }

  /** Returns the settings of a node without {@code broker.wildcards}. */
  public Config withoutWildcards() {
    return Config.defaults()
        .with(BrokerSettings.RECONNECT_MAX, Duration.ofMillis(200))
        .with(BrokerSettings.PROVIDER, "jndi")
        .with(BrokerSettings.JARS, CLIENT.toString())
        .with(
            BrokerSettings.PROPERTIES,
            Map.of(
                "java.naming.factory.initial",
                "org.apache.qpid.jms.jndi.JmsInitialContextFactory",
                "connectionfactory.ConnectionFactory",
                url()));
  }

  @Override
  public void close() {
    jvm.kill();
  }
}
