package io.sluice.gateway.cli.admin;

import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.HelpText;
import io.sluice.gateway.cli.command.Version;
import java.net.URI;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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
    return request.send(client, nodes.get(nodes.size() - 1));
  }
}
