package io.sluice.gateway.cli;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a node until it is told to end. Used by the main thread only. */
@Command(
    name = "run",
    header = "Run the gateway.",
    description = {
      "Options go before the file. With --broker alone it runs on the defaults.",
      "On SIGTERM or ^C it sends its clients away, stops and exits with 0."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Sluice.Version.class)
final class RunCommand implements Callable<Integer> {
  /** What a stop may take beyond the configured times. */
  private static final Duration GRACE = Duration.ofSeconds(10);

  @Spec private CommandSpec spec;

  @Option(names = "--config", paramLabel = "FILE", description = "Configuration, YAML.")
  private Path file;

  @Option(
      names = "--broker",
      paramLabel = "URL",
      description = "The broker, such as tcp://localhost:61616 (broker.url).")
  private String broker;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Port for clients, 0 for any free one (server.port, 8080).")
  private String port;

  @Option(
      names = "--admin-port",
      paramLabel = "N",
      description = "Port for health and metrics, 0 for any free one (admin.port, 9090).")
  private String adminPort;

  @Option(
      names = "--anonymous",
      description = "Let clients in that show no credential (auth.anonymous).")
  private Boolean anonymous;

  private final Node.Starter nodes;
  private final Termination termination;

  RunCommand(Node.Starter nodes, Termination termination) {
    this.nodes = nodes;
    this.termination = termination;
  }

  @Override
  public Integer call() throws Exception {
    Configuration configuration =
        new Configuration(file)
            .with(Settings.BROKER_URL, broker, "--broker")
            .with(Settings.SERVER_PORT, port, "--port")
            .with(Settings.ADMIN_PORT, adminPort, "--admin-port")
            .with(Settings.AUTH_ANONYMOUS, anonymous, "--anonymous");
    Config config = configuration.complete();
    if (BrokerChoice.needsUrl(config)) {
      throw new CommandFailure("which broker? Give --broker URL, or broker.url in the file");
    }
    configuration.requireFreePorts();
    Logging.apply(config);
    Node node = nodes.start(config, false);
    termination.onEnd(node::drainAndStop, stopLimit(config));
    announce(config, node);
    new CountDownLatch(1).await();
    return Sluice.OK;
  }

  static Duration stopLimit(Config config) {
    return GRACE.plus(config.get(Settings.TIMEOUT_DRAIN)).plus(config.get(Settings.TIMEOUT_CLOSE));
  }

  private void announce(Config config, Node node) {
    String host = Address.forPeople(config.get(Settings.SERVER_HOST));
    String adminHost = Address.forPeople(config.get(Settings.ADMIN_HOST));
    var out = spec.commandLine().getOut();
    String scheme = Address.scheme(config, "ws");
    out.println("Sluice listens at " + scheme + "://" + host + ":" + node.port() + "/ws");
    String adminScheme = config.get(Settings.ADMIN_TLS_CERTIFICATE).isEmpty() ? "http" : "https";
    out.println(
        "admin: " + adminScheme + "://" + adminHost + ":" + node.adminPort() + "/health/ready");
    out.flush();
  }
}
