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

/** Options that select the broker. Used by the main thread only. */
final class BenchBrokerTarget {
  private static final String PRESET_CLIENT_ID = "sluice-bench";

  @Option(
      names = "--broker",
      paramLabel = "URL",
      description = "URL of the broker, such as tcp://localhost:61616.")
  private String broker;

  @Option(
      names = "--provider",
      paramLabel = "CLIENT",
      description = "JMS client: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private JmsProvider provider = JmsProvider.ARTEMIS;

  @Option(names = "--user", paramLabel = "NAME", description = "User name for the broker.")
  private String user = "";

  @Option(
      names = "--password-env",
      paramLabel = "NAME",
      description = "Environment variable with the password (default: ${DEFAULT-VALUE}).")
  private String passwordVariable = "SLUICE_BROKER_PASSWORD";

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description = "File with the password, instead of the environment variable.")
  private Path passwordFile;

  @Option(
      names = "--client-id",
      paramLabel = "NAME",
      description =
          "JMS client id of the consumers' connection, for durable subscribers; further connections"
              + " append -1, -2 and so on. Presets with durable subscribers have a default.")
  private String clientId = "";

  @Option(
      names = "--destination-name",
      paramLabel = "NAME",
      description =
          "Prefix of the destinations' names (default: ${DEFAULT-VALUE}); the run's and the"
              + " destination's number follow.")
  private String destinations = "bench";

  @Option(
      names = "--existing",
      description =
          "Use destinations NAME0, NAME1 and so on in all runs; for brokers that create"
              + " none on demand. Messages already stored there are read and counted as foreign.")
  private boolean existing;

  @Option(
      names = "--jndi-environment",
      paramLabel = "KEY=VALUE",
      description = "Provider jndi: property of the InitialContext; may be repeated.")
  private Map<String, String> jndiEnvironment = new TreeMap<>();

  @Option(
      names = "--jndi-connection-factory",
      paramLabel = "NAME",
      description = "Provider jndi: name of the ConnectionFactory (default: ${DEFAULT-VALUE}).")
  private String jndiName = "ConnectionFactory";

  @Option(
      names = "--gateway",
      paramLabel = "URL",
      description =
          "Measure each workload twice, alternately: with consumers at the broker, and with"
              + " clients of this gateway as consumers, such as ws://localhost:8080/ws. A"
              + " gateway passes messages from a broker to clients, not to another broker; two"
              + " gateways in a row cannot be measured.")
  private URI gateway;

  /**
   * Returns the broker. A preset may start brokers itself.
   *
   * @throws IllegalArgumentException with a message that names the invalid option and the allowed
   *     values
   */
  BrokerTarget target(Preset preset) {
    boolean startsBrokers = preset != null && preset.needsFolder();
    if (startsBrokers && (broker != null || gateway != null)) {
      throw new IllegalArgumentException(
          "--preset "
              + preset
              + " starts its brokers itself; expected neither --broker nor --gateway");
    }
    return new BrokerTarget(
        provider,
        startsBrokers ? "" : broker,
        user,
        password(),
        clientId.isEmpty() && preset == Preset.TRANSACTED ? PRESET_CLIENT_ID : clientId,
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
          "--password-file " + passwordFile + ": expected a readable file", e);
    }
  }
}
