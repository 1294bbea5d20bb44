package io.sluice.gateway.cli;

import io.sluice.gateway.StartCheck;
import io.sluice.gateway.cli.command.Configuration;
import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.node.Exposure;
import io.sluice.gateway.node.ShortHistory;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command that lists the problems of a configuration file. Used by the main thread only. */
@Command(
    name = "check-config",
    header = "Check a configuration file and list all its problems.",
    description = {
      "Rejects each file that 'sluice run' rejects, except for ports in use and files that another"
          + " node has locked. Opens no connection and writes nothing. Creates the connection"
          + " factory of the provider 'factory', which connects later.",
      "Warns about expired certificates, access without a credential, a rule or encryption,"
          + " and logs that are shorter than the absence of a client."
    },
    exitCodeList = {
      "0:the file is valid",
      "1:the file has problems",
      Subcommand.INVALID_COMMAND_LINE
    },
    footer = "  sluice check-config sluice.yaml")
final class CheckConfigCommand extends Subcommand {
  private static final int MAX_RATE = 10_000_000;

  @Parameters(paramLabel = "FILE", description = "Configuration file (YAML).")
  private Path file;

  @Option(
      names = "--broker",
      paramLabel = "URL",
      description = "URL of the broker, as for 'sluice run' (broker.url).")
  private String broker;

  @Option(
      names = "--anonymous",
      description = "Admit clients without a credential, as for 'sluice run' (auth.anonymous).")
  private Boolean anonymous;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "" + ShortHistory.ASSUMED_RATE,
      description =
          "Messages per second of the busiest topic or pattern, for which history.messages is"
              + " checked (default: ${DEFAULT-VALUE}).")
  private double rate;

  @Override
  public Integer call() {
    if (!(rate > 0 && rate <= MAX_RATE)) {
      throw wrongUse(
          "--rate " + rate + " is out of bounds; expected more than 0, up to " + MAX_RATE);
    }
    Configuration configuration =
        new Configuration(file, StartCheck.CHECKS)
            .with(BrokerSettings.URL, broker, "--broker")
            .with(AuthSettings.ANONYMOUS, anonymous, "--anonymous")
            .requireBroker();
    List<String> problems = configuration.problems();
    problems.forEach(this::print);
    if (problems.isEmpty()) {
      Config config = configuration.draft().config();
      ExpiredCertificates.of(config, Instant.now()).forEach(each -> print("warning: " + each));
      Exposure.of(config).forEach(each -> print("warning: " + each));
      ShortHistory.of(config, rate).forEach(each -> print("warning: " + each));
      print(file + " is valid");
    } else {
      print(file + " has " + Configuration.count(problems));
    }
    return problems.isEmpty() ? Termination.OK : Termination.FAILED;
  }
}
