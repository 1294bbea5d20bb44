package io.sluice.gateway.cli;

import io.sluice.gateway.StartFailure;
import io.sluice.gateway.broker.contract.ContractOptions;
import io.sluice.gateway.broker.contract.ContractResult;
import io.sluice.gateway.broker.contract.ContractResult.Outcome;
import io.sluice.gateway.broker.contract.ProviderContract;
import io.sluice.gateway.broker.contract.ProviderReports;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.HelpText;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.cli.command.Version;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Command that runs the contract of providers. Used by the main thread only. */
@Command(
    name = "provider-check",
    header = "Check what the broker and its JMS client support.",
    description =
        "Publishes to topics and queues below the prefix and consumes. Writes a report for"
            + " broker.report.",
    sortOptions = false,
    exitCodeListHeading = HelpText.EXIT_CODES,
    exitCodeList = {
      "0:no check fails; some may be refused",
      "1:a check fails, or the broker was not reachable",
      HelpText.INVALID_COMMAND_LINE
    },
    footerHeading = HelpText.EXAMPLE,
    footer = "  sluice provider-check --config sluice.yaml",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class ProviderCheckCommand implements Callable<Integer> {
  private static final String ROW = "%-17s %-10s %s%n";

  @Spec private CommandSpec spec;

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

  @Override
  public Integer call() throws InterruptedException {
    // The configuration may name the report that this command writes.
    Config config =
        new Configuration(file)
            .with(BrokerSettings.REPORT, "", "--report")
            .requireBroker()
            .validated();
    List<ContractResult> results;
    try {
      results = run(config);
    } catch (NoClassDefFoundError e) {
      StartFailure.requireMissing(e, "gateway/broker/contract");
      throw new CommandFailure(StartFailure.missing("queues"), e);
    }
    try {
      Files.writeString(
          report,
          ProviderReports.of(ProviderOptions.of(config), results).encodePrettily()
              + System.lineSeparator());
    } catch (IOException e) {
      throw new CommandFailure("--report " + report + " cannot be written: " + e.getMessage(), e);
    }
    boolean failed = results.stream().anyMatch(each -> each.outcome() == Outcome.FAILS);
    return failed ? Termination.FAILED : Termination.OK;
  }

  private List<ContractResult> run(Config config) throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    List<ContractResult> results = new ArrayList<>();
    try (ProviderContract contract = new ProviderContract(ContractOptions.of(config, prefix))) {
      String problem = contract.connectionProblem();
      if (!problem.isEmpty()) {
        throw new CommandFailure("the broker was not reachable: " + problem);
      }
      out.printf(ROW, "check", "result", "reason");
      for (String check : contract.checks()) {
        ContractResult result = contract.run(check);
        results.add(result);
        out.printf(ROW, check, result.outcome().word(), result.reason());
        out.flush();
      }
    }
    return results;
  }
}
