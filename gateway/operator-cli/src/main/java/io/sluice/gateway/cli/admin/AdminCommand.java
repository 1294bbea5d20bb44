package io.sluice.gateway.cli.admin;

import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Subcommand;
import java.net.URI;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParameterException;

/** Command that sends requests to nodes' admin ports. Used by the main thread only. */
@Command(sortOptions = false)
abstract class AdminCommand extends Subcommand {
  private static final Pattern DURATION = Pattern.compile("([1-9]\\d{0,6})([smhd])");

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
    Iterator<URI> nodes = ports.nodes().iterator();
    while (true) {
      try {
        return named(nodes.next(), request);
      } catch (CommandFailure e) {
        if (!nodes.hasNext()) {
          throw e;
        }
        printFailure(e.getMessage());
      }
    }
  }

  /** Returns the response of a node; a failure names the node. */
  final <R> R named(URI node, NodeRequest<R> request) throws InterruptedException {
    try {
      return request.send(ports.client(), node);
    } catch (CommandFailure e) {
      throw new CommandFailure(node + ": " + e.getMessage(), e);
    }
  }

  /** Prints the response of each given node, or its failure, after which it continues. */
  final void each(NodeRequest<String> request) throws InterruptedException {
    int failed = 0;
    for (URI node : ports.nodes()) {
      try {
        print(node + ": " + AdminClient.printable(named(node, request)));
      } catch (CommandFailure e) {
        failed++;
        printFailure(e.getMessage());
      }
    }
    requireNone(failed, ports.nodes().size());
  }

  /**
   * Requires that no node has failed.
   *
   * @throws CommandFailure with the number of nodes that have
   */
  static void requireNone(int failed, int all) {
    if (failed > 0) {
      String others = failed < all ? "; the others succeeded" : "";
      throw new CommandFailure(failed + " of " + all + " nodes failed" + others);
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
   * Returns the seconds of the value of {@code --for}, such as 30s, 10m or 2h.
   *
   * @throws ParameterException if the text is no duration
   */
  final int seconds(String text) {
    Matcher parts = DURATION.matcher(text);
    if (!parts.matches()) {
      throw wrongUse(
          "--for " + text + " is not a duration; expected a duration such as 30s or 10m");
    }
    long unit =
        switch (parts.group(2)) {
          case "s" -> 1;
          case "m" -> 60;
          case "h" -> 3_600;
          default -> 86_400;
        };
    return (int) Math.min(Integer.MAX_VALUE, Long.parseLong(parts.group(1)) * unit);
  }
}
