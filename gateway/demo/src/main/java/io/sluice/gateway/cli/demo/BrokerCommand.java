package io.sluice.gateway.cli.demo;

import io.sluice.gateway.cli.command.BrokerChild;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Ports;
import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that runs the embedded broker alone. Used by the main thread only. */
@Command(
    name = "broker",
    header = "Run the embedded Artemis broker, for experiments.",
    description = "Prints 'BROKER READY <url>' once clients can connect.",
    exitCodeList = {
      "0:stopped by SIGTERM or ^C",
      "1:the port cannot be used, or the broker failed",
      Subcommand.INVALID_COMMAND_LINE
    },
    footer = "  sluice broker --port 61616 --data broker-data")
public final class BrokerCommand extends Subcommand {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);

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
      description = "Timeout of the broker's start; 0: none (default: ${DEFAULT-VALUE}).")
  private int startTimeoutS;

  private final Termination termination;

  /**
   * @param termination stops the broker at the end of the process
   */
  public BrokerCommand(Termination termination) {
    this.termination = termination;
  }

  @Override
  public Integer call() {
    requirePort("--port", port);
    Ports.requireFree("127.0.0.1", "--port", port, "--port");
    if (startTimeoutS < 0) {
      throw wrongUse(
          "--start-timeout " + startTimeoutS + " is negative; expected seconds, or 0 for none");
    }
    BrokerChild broker = BrokerChild.start(port, data, Duration.ofSeconds(startTimeoutS));
    termination.onEnd(broker::close, STOP_LIMIT);
    print("BROKER READY " + broker.url());
    int code = broker.ended().join();
    if (termination.isEnding()) {
      return Termination.OK;
    }
    throw new CommandFailure("the broker's process ended with exit code " + code);
  }
}
