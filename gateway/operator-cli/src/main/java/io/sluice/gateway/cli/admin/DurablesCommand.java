package io.sluice.gateway.cli.admin;

import io.sluice.gateway.cli.command.CommandGroup;
import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Operators' commands for clients' durable subscriptions. Used by the main thread only. */
@Command(
    name = "durables",
    header = "List or delete clients' durable subscriptions at the broker.",
    description = "One node of the broker is enough: all nodes share the subscriptions.",
    subcommands = {DurablesCommand.ListCommand.class, DurablesCommand.DeleteCommand.class})
public final class DurablesCommand extends CommandGroup {
  private static final String PATH = "/durables";

  /** Lists subscriptions. */
  @Command(
      name = "list",
      header = "List durable subscriptions with their messages and consumers.",
      description = "Sorted by principal, topic and name. Uses the first admin port that responds.",
      exitCodeList = {
        "0:the list was printed",
        "1:no node returned the list",
        Subcommand.INVALID_COMMAND_LINE
      },
      footer =
          "  sluice durables list --admin https://gw-1.example.com:9090 --token-file admin-token"
              + " --principal alice")
  static final class ListCommand extends QueryCommand {
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

    @Override
    String path() {
      return AdminClient.path(PATH, "max", max, "principal", principal);
    }

    @Override
    List<String> lines(JsonObject response) {
      List<String> lines = new ArrayList<>();
      response.getJsonArray("subscriptions").forEach(each -> lines.add(line((JsonObject) each)));
      if (response.getBoolean("more")) {
        lines.add("and more; use --max or --principal");
      }
      return lines;
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
      exitCodeList = {
        "0:the subscription is deleted",
        "1:the subscription does not exist or has consumers, or no node served the request",
        Subcommand.INVALID_COMMAND_LINE
      },
      footer =
          "  sluice durables delete --admin https://gw-1.example.com:9090 --token-file admin-token"
              + " --principal alice --topic orders.eu --name desk-1")
  static final class DeleteCommand extends AdminCommand {
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
      String path = AdminClient.path(PATH, "principal", principal, "topic", topic, "name", name);
      first((client, node) -> client.delete(node, path));
      print("deleted");
      return Termination.OK;
    }
  }
}
