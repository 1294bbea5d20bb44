package io.sluice.gateway.cli.demo;

import io.sluice.gateway.cli.command.Address;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Configuration;
import io.sluice.gateway.cli.command.Ports;
import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.cli.logging.Logging;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.node.Exposure;
import io.sluice.gateway.node.NodeChecks;
import io.sluice.gateway.node.RunningNode;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that runs the demo until a signal. Used by the main thread only. */
@Command(
    name = "demo",
    header = "Show live prices: a broker, a market feed, the gateway and a page.",
    description = {
      "Publishes 10 updates per second of each of 100 fictitious stocks. Open the URL that it"
          + " prints. Clients need no credential, and may publish to topics such as chat.1 and use"
          + " the queue orders (JMS)."
    },
    exitCodeList = {
      "0:stopped by SIGTERM or ^C",
      "1:a port cannot be used, or the broker or the node failed",
      Subcommand.INVALID_COMMAND_LINE
    },
    footer = "  sluice demo --port 8081")
public final class DemoCommand extends Subcommand {
  private static final Duration DRAIN = Duration.ofSeconds(1);

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description = "Listen address for the page and for clients (default: ${DEFAULT-VALUE}).")
  private String host = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Port for the page and for clients; 0: any free port (default: 8080).")
  private String port;

  @Option(
      names = "--admin-port",
      paramLabel = "N",
      description = "Port for health and metrics; 0: any free port (default: 9090).")
  private String adminPort;

  @Option(
      names = "--second-port",
      paramLabel = "N",
      description =
          "Port of the second node, to which the page moves when it stops the first one; 0: any"
              + " free port (default: ${DEFAULT-VALUE}).")
  private int secondPort;

  @Option(
      names = "--source",
      paramLabel = "KIND",
      description =
          "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). KAFKA and NATS start"
              + " kafka-server-start or nats-server of PATH without --servers.")
  private DemoSource source = DemoSource.JMS;

  @Option(
      names = DemoSource.SERVERS,
      paramLabel = "ADDRESS",
      split = ",",
      description =
          "Running servers: host:port of Kafka, or URLs of NATS. The demo creates the topics stocks"
              + " and chat.")
  private List<String> servers = List.of();

  @Option(
      names = "--certificate",
      paramLabel = "FILE",
      description = "PEM file with a certificate, for https and wss; requires --key.")
  private String certificate;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description = "PEM file with the certificate's private key.")
  private String key;

  @Option(
      names = "--allow-origin",
      paramLabel = "ORIGIN",
      description =
          "Origin of other web pages that may connect, such as http://localhost:3000; repeatable.")
  private List<String> origins;

  private final DemoNodes nodes;
  private final NodeChecks checks;
  private final Termination termination;

  /**
   * @param nodes starts nodes
   * @param termination stops the demo at the end of the process
   */
  public DemoCommand(DemoNodes nodes, NodeChecks checks, Termination termination) {
    this.nodes = nodes;
    this.checks = checks;
    this.termination = termination;
  }

  @Override
  public Integer call() throws Exception {
    requirePort("--second-port", secondPort);
    if (source == DemoSource.JMS && !servers.isEmpty()) {
      throw wrongUse("--servers requires --source kafka or --source nats");
    }
    Configuration configuration =
        new Configuration(null, checks)
            .with(ServerSettings.HOST, host, "--host")
            .with(ServerSettings.PORT, port, "--port")
            .with(AdminSettings.PORT, adminPort, "--admin-port")
            .with(ServerSettings.TLS_CERTIFICATE, certificate, "--certificate")
            .with(ServerSettings.TLS_KEY, key, "--key")
            .withAll(ServerSettings.ALLOWED_ORIGINS, origins, "--allow-origin")
            .with(AuthSettings.ANONYMOUS, true, "sluice demo");
    if (!servers.isEmpty()) {
      source.configure(configuration, servers);
    }
    Config config = configuration.validated().with(TimeoutSettings.DRAIN, DRAIN);
    configuration.requireFreePorts();
    Ports.requireFree(host, "--host", secondPort, "--second-port");
    Logging.apply(config);
    Demo demo = new Demo(source, servers);
    // Registered before the start, because a signal may arrive while the broker starts.
    termination.onEnd(demo::stop, Termination.stopLimit(config));
    demo.start(config, secondPort, nodes);
    announce(config, demo.node());
    int code = demo.awaitBrokerEnd();
    if (termination.isEnding()) {
      return Termination.OK;
    }
    throw new CommandFailure("the broker's process ended with exit code " + code);
  }

  private void announce(Config config, RunningNode node) {
    String shown = host.equals("127.0.0.1") ? "localhost" : Address.urlHost(host);
    String scheme = Address.scheme(config, "http");
    print("Live prices: " + scheme + "://" + shown + ":" + node.port() + "/");
    if (node.adminPort() > 0) {
      print("Metrics:     http://localhost:" + node.adminPort() + "/metrics");
    }
    for (Exposure exposure : Exposure.of(config)) {
      print("Open:        " + exposure);
    }
    print("^C ends the demo.");
  }
}
