package io.sluice.gateway.cli.admin;

import io.sluice.gateway.admin.query.QueryText;
import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.vertx.core.json.JsonObject;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Query of a node or of its cluster. Used by the main thread only. */
@Command(
    description =
        "Queries all nodes of the cluster through the first admin port that responds. Missing"
            + " nodes are named on standard error.",
    exitCodeList = {
      "0:the response was printed",
      "1:no node responded, or none has the requested object",
      Subcommand.INVALID_COMMAND_LINE
    })
abstract class QueryCommand extends AdminCommand {
  @Option(names = "--json", description = "Print the node's response, a JSON object.")
  private boolean json;

  /** Returns path and parameters of the request. */
  abstract String path();

  /** Returns the response for people. */
  abstract List<String> lines(JsonObject response);

  /** Returns the response; commands may send other requests before. */
  JsonObject response() throws InterruptedException {
    return first((client, node) -> client.get(node, path()));
  }

  @Override
  public final Integer call() throws InterruptedException {
    JsonObject response = response();
    try {
      List<String> lines = json ? List.of(response.encodePrettily()) : lines(response);
      lines.forEach(this::print);
      QueryText.missing(response).forEach(this::printFailure);
    } catch (ClassCastException | NullPointerException e) {
      throw AdminClient.unexpectedResponse(e);
    }
    return Termination.OK;
  }
}
