package io.sluice.gateway.cli;

import io.sluice.gateway.cli.command.Termination;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/**
 * Result of a command that has ended.
 *
 * @param code exit code
 * @param out standard output
 * @param err standard error
 */
record CommandRun(int code, String out, String err) {
  /** Runs a command in this thread. */
  static CommandRun of(List<String> arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Sluice.commandLine(NodeStarter::startGateway, new Termination())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(arguments.toArray(String[]::new));
    return new CommandRun(code, out.toString(), err.toString());
  }

  /** Returns the lines of standard output. */
  List<String> lines() {
    return out.lines().toList();
  }
}
