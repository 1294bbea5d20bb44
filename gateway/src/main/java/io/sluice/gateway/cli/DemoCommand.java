package io.sluice.gateway.cli;

import io.sluice.gateway.Exposure;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the demo until it is told to end. Used by the main thread only. */
@Command(
    name = "demo",
    header = "Show live prices: a broker, a market feed, the gateway and a page.",
    description = {
      "100 made-up stocks with 10 updates a second each. Open the address that it prints.",
      "^C ends all of it."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class DemoCommand implements Callable<Integer> {
  private static final Duration DRAIN = Duration.ofSeconds(1);

  @Spec private CommandSpec spec;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description = "Address for the page and the clients (${DEFAULT-VALUE}).")
  private String host = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Port of the page and of the clients, 0 for any free one (8080).")
  private String port;

  @Option(
      names = "--admin-port",
      paramLabel = "N",
      description = "Port for health and metrics, 0 for any free one (9090).")
  private String adminPort;

  @Option(
      names = "--certificate",
      paramLabel = "FILE",
      description = "PEM file of a certificate, for https and wss; needs --key, too.")
  private String certificate;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description = "PEM file of the certificate's private key.")
  private String key;

  private final StartedNode.Starter nodes;
  private final Termination termination;

  DemoCommand(StartedNode.Starter nodes, Termination termination) {
    this.nodes = nodes;
    this.termination = termination;
  }

  @Override
  public Integer call() throws Exception {
    Configuration configuration =
        new Configuration(null)
            .with(ServerSettings.HOST, host, "--host")
            .with(ServerSettings.PORT, port, "--port")
            .with(AdminSettings.PORT, adminPort, "--admin-port")
            .with(ServerSettings.TLS_CERTIFICATE, certificate, "--certificate")
            .with(ServerSettings.TLS_KEY, key, "--key");
    Config config =
        configuration
            .complete()
            .with(TimeoutSettings.DRAIN, DRAIN)
            .with(AuthSettings.ANONYMOUS, true);
    configuration.requireFreePorts();
    Logging.apply(config);
    Demo demo = new Demo();
    // Before the start: ^C may come while the broker is still starting.
    termination.onEnd(demo::stop, RunCommand.stopLimit(config));
    demo.start(config, nodes);
    announce(config, demo.node());
    int code = demo.awaitBrokerEnd();
    if (termination.isEnding()) {
      return Termination.OK;
    }
    throw new CommandFailure("the broker's process ended with exit code " + code);
  }

  private void announce(Config config, StartedNode node) {
    String shown = host.equals("127.0.0.1") ? "localhost" : Address.forPeople(host);
    var out = spec.commandLine().getOut();
    String scheme = Address.scheme(config, "http");
    out.println("Live prices: " + scheme + "://" + shown + ":" + node.port() + "/");
    out.println("Metrics:     http://localhost:" + node.adminPort() + "/metrics");
    for (Exposure exposure : Exposure.of(config)) {
      out.println("Open:        " + exposure);
    }
    out.println("^C ends the demo.");
    out.flush();
  }
}
