package io.sluice.gateway.cli;

import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.HelpText;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.cli.command.Version;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Command that runs the embedded broker alone. Used by the main thread only. */
@Command(
    name = "broker",
    header = "Run the embedded Artemis broker, for experiments.",
    description = "Prints 'BROKER READY <url>' once clients can connect.",
    exitCodeListHeading = HelpText.EXIT_CODES,
    exitCodeList = {
      "0:stopped by SIGTERM or ^C",
      "1:the port cannot be used, or the broker failed",
      HelpText.INVALID_COMMAND_LINE
    },
    footerHeading = HelpText.EXAMPLE,
    footer = "  sluice broker --port 61616 --data broker-data",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class BrokerCommand implements Callable<Integer> {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

  @Spec private CommandSpec spec;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Port of the broker; 0: any free port (default: ${DEFAULT-VALUE}).")
  private int port = 61616;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Folder of persistent messages; without it they are lost when the broker stops.")
  private Path data;

  @Option(
      names = "--start-timeout",
      paramLabel = "SECONDS",
      description =
          "Timeout of the broker's start; 0: none (default: ${DEFAULT-VALUE}). A notice is printed"
              + " every 15 s.")
  private int startTimeoutS;

  private final Termination termination;

  BrokerCommand(Termination termination) {
    this.termination = termination;
  }

  @Override
  public Integer call() {
    Ports.requireValid(spec, "--port", port);
    Ports.requireFree("127.0.0.1", "--port", port, "--port");
    if (startTimeoutS < 0) {
      throw new ParameterException(
          spec.commandLine(),
          "--start-timeout " + startTimeoutS + " is negative; expected seconds, or 0 for none");
    }
    BrokerChild broker = BrokerChild.start(port, data, Duration.ofSeconds(startTimeoutS));
    termination.onEnd(broker::close, STOP_LIMIT);
    PrintWriter out = spec.commandLine().getOut();
    out.println("BROKER READY " + broker.url());
    out.flush();
    int code = broker.ended().join();
    if (termination.isEnding()) {
      return Termination.OK;
    }
    throw new CommandFailure("the broker's process ended with exit code " + code);
  }
}
