package io.sluice.gateway.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks the bounds of an option that is a port. Stateless, for any thread. */
final class PortOption {
  private static final int HIGHEST = 65_535;

  private PortOption() {}

  static void check(CommandSpec spec, String option, int port) {
    if (port < 0 || port > HIGHEST) {
      throw new ParameterException(
          spec.commandLine(), option + " " + port + " is not a port; expected 0 to " + HIGHEST);
    }
  }
}
