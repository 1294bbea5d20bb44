package io.sluice.gateway.cli;

import io.sluice.gateway.Gateway;
import io.sluice.gateway.StartCheck;
import io.sluice.gateway.cli.command.Address;
import io.sluice.gateway.cli.command.Configuration;
import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.cli.logging.Logging;
import io.sluice.gateway.cli.signal.Hangup;
import io.sluice.gateway.cli.signal.IgnoredSignals;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.http.Pages;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that runs a node until a signal. Used by the main thread only. */
@Command(
    name = "run",
    header = "Run the gateway.",
    description = {
      "Options take precedence over the configuration file. Without a file, --broker is required"
          + " and all other settings have their defaults.",
      "On SIGTERM or ^C it drains its clients and stops. On SIGHUP it reloads the file."
    },
    exitCodeList = {
      "0:stopped by SIGTERM or ^C",
      "1:the configuration is invalid, a port cannot be used, or the node did not start or stop",
      Subcommand.INVALID_COMMAND_LINE
    },
    footer = "  sluice run --config sluice.yaml")
final class RunCommand extends Subcommand {
  @Option(names = "--config", paramLabel = "FILE", description = "Configuration file (YAML).")
  private Path file;

  @Option(
      names = "--broker",
      paramLabel = "URL",
      description = "URL of the broker, such as tcp://localhost:61616 (broker.url).")
  private String broker;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Port for clients; 0: any free port (server.port; default: 8080).")
  private String port;

  @Option(
      names = "--admin-port",
      paramLabel = "N",
      description = "Port for health and metrics; 0: any free port (admin.port; default: 9090).")
  private String adminPort;

  @Option(
      names = "--anonymous",
      description = "Admit clients without a credential (auth.anonymous).")
  private Boolean anonymous;

  @Option(
      names = "--allow-origin",
      paramLabel = "ORIGIN",
      description =
          "Origin of web pages that may connect, in addition to those of this host, such as"
              + " https://app.example.com; repeatable (server.allowed-origins).")
  private List<String> origins;

  private final NodeStarter nodes;
  private final Termination termination;

  RunCommand(NodeStarter nodes, Termination termination) {
    this.nodes = nodes;
    this.termination = termination;
  }

  @Override
  public Integer call() throws Exception {
    Configuration configuration = configuration();
    Config config = configuration.validated();
    configuration.requireFreePorts();
    Logging.apply(config);
    Gateway node = nodes.start(config, Pages.none());
    termination.onEnd(node::drainAndStop, Termination.stopLimit(config));
    if (file != null) {
      node.reloadFrom(() -> configuration().draft(), Logging::applyLevels);
      Hangup.handle(node::reload);
    }
    IgnoredSignals.warn(file != null);
    announce(config, node);
    new CountDownLatch(1).await();
    return Termination.OK;
  }

  /** Returns the configuration of the file as it is now, and of the options. */
  private Configuration configuration() {
    return new Configuration(file, StartCheck.CHECKS)
        .with(BrokerSettings.URL, broker, "--broker")
        .with(ServerSettings.PORT, port, "--port")
        .with(AdminSettings.PORT, adminPort, "--admin-port")
        .with(AuthSettings.ANONYMOUS, anonymous, "--anonymous")
        .withAll(ServerSettings.ALLOWED_ORIGINS, origins, "--allow-origin")
        .requireBroker();
  }

  private void announce(Config config, Gateway node) {
    String host = Address.urlHost(config.get(ServerSettings.HOST));
    String adminHost = Address.urlHost(config.get(AdminSettings.HOST));
    String scheme = Address.scheme(config, "ws");
    print("Sluice listens at " + scheme + "://" + host + ":" + node.port() + "/ws");
    if (node.adminPort() > 0) {
      String adminScheme = config.get(AdminSettings.TLS_CERTIFICATE).isEmpty() ? "http" : "https";
      print("admin: " + adminScheme + "://" + adminHost + ":" + node.adminPort() + "/health/ready");
    }
  }
}
