package io.sluice.gateway.cli.admin;

import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.HelpText;
import io.sluice.gateway.cli.command.Version;
import java.net.URI;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Command that sends requests to nodes' admin ports. Commands inherit what this annotation states.
 * Used by the main thread only.
 */
@Command(
    sortOptions = false,
    exitCodeListHeading = HelpText.EXIT_CODES,
    footerHeading = HelpText.EXAMPLE,
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
abstract class AdminCommand implements Callable<Integer> {
  private static final int MAX_LINES = 1_000;

  @Spec CommandSpec spec;

  @Mixin AdminPorts ports;

  /** Request to one node. */
  @FunctionalInterface
  interface NodeRequest<R> {
    /**
     * Sends the request.
     *
     * @throws CommandFailure with one line for people
     */
    R send(AdminClient client, URI node) throws InterruptedException;
  }

  /** Returns the response of the first given node that has one; prints the failures before it. */
  final <R> R first(NodeRequest<R> request) throws InterruptedException {
    AdminClient client = ports.client();
    List<URI> nodes = ports.nodes();
    for (URI node : nodes.subList(0, nodes.size() - 1)) {
      try {
        return request.send(client, node);
      } catch (CommandFailure e) { // the next node may respond
        ports.printFailure(node + ": " + e.getMessage());
      }
    }
    URI last = nodes.get(nodes.size() - 1);
    try {
      return request.send(client, last);
    } catch (CommandFailure e) {
      throw new CommandFailure(last + ": " + e.getMessage(), e);
    }
  }

  /**
   * Returns the word that is the value of an option.
   *
   * @throws ParameterException if it is none of the allowed words
   */
  final String word(String option, String value, List<String> words) {
    if (!words.contains(value)) {
      throw wrongUse(option + " " + value + " is none of " + String.join(", ", words));
    }
    return value;
  }

  /**
   * Returns the number of lines that is the value of {@code --limit}.
   *
   * @throws ParameterException if it is not allowed
   */
  final int limit(int value) {
    if (value < 1 || value > MAX_LINES) {
      throw wrongUse("--limit " + value + " is not a number from 1 to " + MAX_LINES);
    }
    return value;
  }

  private ParameterException wrongUse(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
