package io.sluice.gateway.cli;

import io.sluice.gateway.StartCheck;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Configuration;
import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfiguredSource;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that runs the contract of providers. Used by the main thread only. */
@Command(
    name = "provider-check",
    header = "Check what the broker and its JMS client support.",
    description =
        "Publishes to topics and queues below the prefix and consumes. Writes a report for"
            + " broker.report.",
    sortOptions = false,
    exitCodeList = {
      "0:no check fails; some may be refused",
      "1:a check fails, or the broker was not reachable",
      Subcommand.INVALID_COMMAND_LINE
    },
    footer = "  sluice provider-check --config sluice.yaml")
final class ProviderCheckCommand extends Subcommand {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      required = true,
      description = "Configuration file (YAML).")
  private Path file;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      description = "Report to write (default: ${DEFAULT-VALUE}).")
  private Path report = Path.of("provider-report.json");

  @Option(
      names = "--prefix",
      paramLabel = "NAME",
      description = "First levels of topics and queues (default: ${DEFAULT-VALUE}).")
  private String prefix = "sluice.check";

  @Option(
      names = "--restart",
      paramLabel = "COMMAND",
      description = "Command that kills and starts the broker, for the check restart.")
  private String restart;

  @Override
  public Integer call() throws InterruptedException {
    // The configuration may name the report that this command writes.
    Config config =
        new Configuration(file, StartCheck.CHECKS)
            .with(BrokerSettings.REPORT, "", "--report")
            .requireBroker()
            .validated();
    if (!ConfiguredSource.hasJmsBroker(config)) {
      String key = ConfiguredSource.of(config).get(0).key().key();
      throw new CommandFailure(key + ": only a JMS broker can be checked");
    }
    ProviderCheck check = new ProviderCheck(config, this::print, restart);
    return check.run(prefix, report) ? Termination.OK : Termination.FAILED;
  }
}
