package io.sluice.gateway.cli;

import io.sluice.gateway.broker.contract.ContractOptions;
import io.sluice.gateway.broker.contract.ContractResult;
import io.sluice.gateway.broker.contract.ContractResult.Outcome;
import io.sluice.gateway.broker.contract.ProviderContract;
import io.sluice.gateway.broker.contract.ProviderReports;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.config.Config;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Run of the contract of providers, whose module may be missing. Used by the main thread only. */
final class ProviderCheck {
  private static final String ROW = "%-17s %-10s %s";

  private final Config config;
  private final Consumer<String> lines;
  private final String restart;

  /**
   * @param lines receiver of each line of the table
   * @param restart command that restarts the broker; null: none
   */
  ProviderCheck(Config config, Consumer<String> lines, String restart) {
    this.config = config;
    this.lines = lines;
    this.restart = restart;
  }

  /**
   * Runs all checks, prints the results and writes the report.
   *
   * @param prefix first levels of topics and queues
   * @return whether no check has failed
   */
  boolean run(String prefix, Path report) throws InterruptedException {
    List<ContractResult> results = results(prefix);
    try {
      Files.writeString(
          report,
          ProviderReports.of(ProviderOptions.of(config), results).encodePrettily()
              + System.lineSeparator());
    } catch (IOException e) {
      throw new CommandFailure("--report " + report + " cannot be written: " + e.getMessage(), e);
    }
    return results.stream().noneMatch(each -> each.outcome() == Outcome.FAILS);
  }

  private List<ContractResult> results(String prefix) throws InterruptedException {
    List<ContractResult> results = new ArrayList<>();
    try (ProviderContract contract =
        new ProviderContract(
            ContractOptions.of(config, prefix), restart == null ? null : this::restart)) {
      String problem = contract.connectionProblem();
      if (!problem.isEmpty()) {
        throw new CommandFailure("the broker was not reachable: " + problem);
      }
      lines.accept(ROW.formatted("check", "result", "reason"));
      for (String check : contract.checks()) {
        ContractResult result = contract.run(check);
        results.add(result);
        lines.accept(ROW.formatted(check, result.outcome().word(), result.reason()));
      }
    }
    return results;
  }

  // A broker that it starts in the background keeps running, hence no pipe to this process.
  private void restart() throws IOException, InterruptedException {
    int code =
        new ProcessBuilder("/bin/sh", "-c", restart)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.DISCARD)
            .start()
            .waitFor();
    if (code != 0) {
      throw new IOException("the command of --restart ended with exit code " + code);
    }
  }
}
