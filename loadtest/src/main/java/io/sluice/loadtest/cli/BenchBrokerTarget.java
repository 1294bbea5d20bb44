package io.sluice.loadtest.cli;

import io.sluice.loadtest.broker.provider.BrokerTarget;
import io.sluice.loadtest.broker.provider.JmsProvider;
import io.sluice.loadtest.broker.workload.Preset;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** The options that say which broker is measured. Used by the main thread only. */
final class BenchBrokerTarget {
  private static final String OWN_CLIENT_ID = "sluice-bench";

  @Option(
      names = "--broker",
      paramLabel = "URL",
      description = "The broker, such as tcp://localhost:61616.")
  private String broker;

  @Option(
      names = "--provider",
      description = "JMS client: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
  private JmsProvider provider = JmsProvider.ARTEMIS;

  @Option(names = "--user", description = "User name for the broker.")
  private String user = "";

  @Option(
      names = "--password-env",
      paramLabel = "NAME",
      description = "Environment variable with the password (${DEFAULT-VALUE}).")
  private String passwordVariable = "SLUICE_BROKER_PASSWORD";

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "File with the password, instead.")
  private Path passwordFile;

  @Option(
      names = "--client-id",
      paramLabel = "NAME",
      description =
          "JMS client id of the consumers' connection, for durable subscribers; further connections"
              + " have -1, -2 and so on behind it. Presets with durable subscribers have their own.")
  private String clientId = "";

  @Option(
      names = "--destination-name",
      paramLabel = "NAME",
      description =
          "What the destinations' names begin with (${DEFAULT-VALUE}); the run's and the"
              + " destination's number follow.")
  private String destinations = "bench";

  @Option(
      names = "--existing",
      description =
          "The destinations are called NAME0, NAME1 and so on in all runs; for brokers that make"
              + " none on demand. What lies there already is read and counted as foreign.")
  private boolean existing;

  @Option(
      names = "--jndi-environment",
      paramLabel = "KEY=VALUE",
      description = "Provider jndi: of the InitialContext; may be repeated.")
  private Map<String, String> jndiEnvironment = new TreeMap<>();

  @Option(
      names = "--jndi-connection-factory",
      paramLabel = "NAME",
      description = "Provider jndi: the ConnectionFactory's name (${DEFAULT-VALUE}).")
  private String jndiName = "ConnectionFactory";

  @Option(
      names = "--gateway",
      paramLabel = "URL",
      description =
          "Each workload is measured twice, turn about: with consumers at the broker, and with"
              + " consumers that are clients of this gateway, such as ws://localhost:8080/ws. A"
              + " gateway passes messages from a broker to clients, not to another broker, so two"
              + " of them in a row can't be measured.")
  private URI gateway;

  /**
   * The broker, which a preset may start by itself.
   *
   * @throws IllegalArgumentException names the option that is wrong, and what was expected
   */
  BrokerTarget target(Preset preset) {
    boolean own = preset != null && preset.needsFolder();
    if (own && (broker != null || gateway != null)) {
      throw new IllegalArgumentException(
          "--preset "
              + preset
              + " starts its own brokers; expected neither --broker nor --gateway");
    }
    return new BrokerTarget(
        provider,
        own ? "" : broker,
        user,
        password(),
        clientId.isEmpty() && preset == Preset.FOUR ? OWN_CLIENT_ID : clientId,
        destinations,
        existing,
        jndiEnvironment,
        jndiName,
        gateway);
  }

  private String password() {
    if (passwordFile == null) {
      return System.getenv().getOrDefault(passwordVariable, "");
    }
    try {
      return Files.readString(passwordFile).strip();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--password-file " + passwordFile + ": expected a file that can be read", e);
    }
  }
}
