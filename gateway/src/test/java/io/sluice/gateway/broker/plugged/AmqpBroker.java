package io.sluice.gateway.broker.plugged;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.BrokerJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Artemis as a broker of AMQP 1.0, with Qpid JMS in a folder as its client. Any thread. */
public final class AmqpBroker implements AutoCloseable {
  private static final Path PROVIDERS = Path.of("target", "providers");

  private final BrokerJvm jvm =
      BrokerJvm.artemisWith(
          PROVIDERS.resolve("artemis-amqp").resolve("*").toString(), "--port", "0");

  /** Returns the settings of a node, with the wildcards of Artemis. */
  public Config config() {
    return withoutWildcards().with(BrokerSettings.WILDCARDS, Map.of("rest", "#"));
  }

  /** Returns the settings of a node without {@code broker.wildcards}. */
  public Config withoutWildcards() {
    return Config.defaults()
        .with(BrokerSettings.RECONNECT_MAX, Duration.ofMillis(200))
        .with(BrokerSettings.PROVIDER, "jndi")
        .with(BrokerSettings.JARS, PROVIDERS.resolve("qpid-jms").toString())
        .with(
            BrokerSettings.PROPERTIES,
            Map.of(
                "java.naming.factory.initial",
                "org.apache.qpid.jms.jndi.JmsInitialContextFactory",
                "connectionfactory.ConnectionFactory",
                "amqp://127.0.0.1:" + jvm.port() + "?jms.prefetchPolicy.queuePrefetch=0"));
  }

  @Override
  public void close() {
    jvm.kill();
  }
}
