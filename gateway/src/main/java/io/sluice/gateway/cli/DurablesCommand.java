package io.sluice.gateway.cli;

import io.sluice.gateway.cli.admin.AdminClient;
import io.sluice.gateway.cli.admin.AdminPorts;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.HelpText;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.cli.command.Version;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Operators' commands for clients' durable subscriptions. Used by the main thread only. */
@Command(
    name = "durables",
    header = "List or delete clients' durable subscriptions at the broker.",
    description = "One node of the broker is enough: all nodes share the subscriptions.",
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    subcommands = {DurablesCommand.ListCommand.class, DurablesCommand.DeleteCommand.class},
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class DurablesCommand implements Runnable {
  private static final String PATH = "/durables";

  @Spec private CommandSpec spec;

  /** Rejects the use without a command. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  /** Options of both commands. */
  private abstract static class NodeCommand implements Callable<Integer> {
    @Mixin AdminPorts ports;

    /** Request to one node. */
    interface Request<T> {
      T send(AdminClient client, URI node) throws InterruptedException;
    }

    /** Returns the result of the first node that is reachable. */
    final <T> T first(Request<T> request) throws InterruptedException {
      AdminClient client = ports.client();
      for (URI node : ports.nodes()) {
        try {
          return request.send(client, node);
        } catch (CommandFailure e) { // the next node may respond
          ports.printFailure(node + ": " + e.getMessage());
        }
      }
      throw new CommandFailure("no node served the request");
    }
  }

  private static String parameter(String name, String value) {
    return name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  /** Lists subscriptions. */
  @Command(
      name = "list",
      header = "List durable subscriptions with their messages and consumers.",
      description = "Sorted by principal, topic and name. Uses the first admin port that responds.",
      sortOptions = false,
      exitCodeListHeading = HelpText.EXIT_CODES,
      exitCodeList = {
        "0:the list was printed",
        "1:no node returned the list",
        HelpText.INVALID_COMMAND_LINE
      },
      footerHeading = HelpText.EXAMPLE,
      footer =
          "  sluice durables list --admin https://gw-1.example.com:9090 --token-file admin-token"
              + " --principal alice",
      mixinStandardHelpOptions = true,
      versionProvider = Version.class)
  static final class ListCommand extends NodeCommand {
    @Option(
        names = "--principal",
        paramLabel = "NAME",
        description =
            "Subscriptions of this client only, such as ann or certificate:ann; empty: of clients"
                + " without a credential.")
    private String principal;

    @Option(
        names = "--max",
        paramLabel = "N",
        defaultValue = "100",
        description = "Maximum number of subscriptions, 1 to 1000.")
    private int max;

    @Option(names = "--json", description = "Print the node's response, a JSON object.")
    private boolean json;

    @Override
    public Integer call() throws InterruptedException {
      String query =
          "?max=" + max + (principal == null ? "" : "&" + parameter("principal", principal));
      JsonObject list = first((client, node) -> client.get(node, PATH + query));
      if (json) {
        ports.print(list.encodePrettily());
        return Termination.OK;
      }
      try {
        JsonArray subscriptions = list.getJsonArray("subscriptions");
        for (int i = 0; i < subscriptions.size(); i++) {
          ports.print(line(subscriptions.getJsonObject(i)));
        }
        if (list.getBoolean("more")) {
          ports.print("and more; use --max or --principal");
        }
      } catch (ClassCastException | NullPointerException e) {
        throw AdminClient.unexpectedResponse(e);
      }
      return Termination.OK;
    }

    private static String line(JsonObject subscription) {
      String where = subscription.getString("where");
      String line =
          quoted(subscription.getString("principal"))
              + " "
              + subscription.getString("topic")
              + " "
              + subscription.getString("name")
              + number(subscription, "messages")
              + number(subscription, "consumers")
              + (where == null ? "" : ", where " + where);
      return AdminClient.printable(line);
    }

    private static String quoted(String principal) {
      return principal.isEmpty() ? "\"\"" : principal;
    }

    private static String number(JsonObject subscription, String name) {
      Long number = subscription.getLong(name);
      return number == null ? "" : ", " + number + " " + name;
    }
  }

  /** Deletes a subscription. */
  @Command(
      name = "delete",
      header = "Delete a durable subscription without consumers, with its messages.",
      description = "Uses the first admin port that serves the request.",
      sortOptions = false,
      exitCodeListHeading = HelpText.EXIT_CODES,
      exitCodeList = {
        "0:the subscription is deleted",
        "1:the subscription does not exist or has consumers, or no node served the request",
        HelpText.INVALID_COMMAND_LINE
      },
      footerHeading = HelpText.EXAMPLE,
      footer =
          "  sluice durables delete --admin https://gw-1.example.com:9090 --token-file admin-token"
              + " --principal alice --topic orders.eu --name desk-1",
      mixinStandardHelpOptions = true,
      versionProvider = Version.class)
  static final class DeleteCommand extends NodeCommand {
    @Option(
        names = "--principal",
        paramLabel = "NAME",
        required = true,
        description =
            "Client that owns it, such as ann or certificate:ann; empty: clients without a"
                + " credential.")
    private String principal;

    @Option(
        names = "--topic",
        paramLabel = "TOPIC",
        required = true,
        description = "Its topic or pattern.")
    private String topic;

    @Option(
        names = "--name",
        paramLabel = "NAME",
        required = true,
        description = "Its name (durable).")
    private String name;

    @Override
    public Integer call() throws InterruptedException {
      String query =
          "?"
              + parameter("principal", principal)
              + "&"
              + parameter("topic", topic)
              + "&"
              + parameter("name", name);
      first(
          (client, node) -> {
            client.delete(node, PATH + query);
            return null;
          });
      ports.print("deleted");
      return Termination.OK;
    }
  }
}
