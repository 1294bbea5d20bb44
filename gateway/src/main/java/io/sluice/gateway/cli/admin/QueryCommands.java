package io.sluice.gateway.cli.admin;

import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.HelpText;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.cli.command.Version;
import io.sluice.gateway.cli.query.QueryText;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Operators' queries of topics and clients of a cluster. Used by the main thread only. */
public final class QueryCommands {
  private QueryCommands() {}

  /** Returns all commands. */
  public static List<Object> all() {
    return List.of(
        new TopicsCommand(),
        new TopicCommand(),
        new ClientsCommand(),
        new ClientCommand(),
        new WhyCommand(),
        new OverviewCommand());
  }

  /** Query of a node or of its cluster. Commands inherit what this annotation states. */
  @Command(
      description = "Queries all nodes of the cluster through the first admin port that responds.",
      sortOptions = false,
      exitCodeListHeading = HelpText.EXIT_CODES,
      exitCodeList = {
        "0:the response was printed; missing nodes are named on standard error",
        "1:no node responded, or none has the requested object",
        HelpText.INVALID_COMMAND_LINE
      },
      footerHeading = HelpText.EXAMPLE,
      mixinStandardHelpOptions = true,
      versionProvider = Version.class)
  private abstract static class QueryCommand implements Callable<Integer> {
    @Mixin AdminPorts ports;

    @Option(names = "--json", description = "Print the node's response, a JSON object.")
    private boolean json;

    /** Returns path and parameters of the request. */
    abstract String path();

    /** Returns the response for people. */
    abstract List<String> lines(JsonObject response);

    /** Returns lines of another response of the node, which follow without {@code --json}. */
    List<String> further(AdminClient client, URI node) throws InterruptedException {
      return List.of();
    }

    @Override
    public final Integer call() throws InterruptedException {
      AdminClient client = ports.client();
      List<URI> nodes = ports.nodes();
      for (URI node : nodes.subList(0, nodes.size() - 1)) {
        try {
          return print(client, node);
        } catch (CommandFailure e) { // the next node may respond
          ports.printFailure(node + ": " + e.getMessage());
        }
      }
      return print(client, nodes.get(nodes.size() - 1));
    }

    private Integer print(AdminClient client, URI node) throws InterruptedException {
      JsonObject response = client.get(node, path());
      try {
        List<String> lines = json ? List.of(response.encodePrettily()) : lines(response);
        lines.forEach(ports::print);
        if (!json) {
          further(client, node).forEach(ports::print);
        }
        QueryText.missing(response).forEach(ports::printFailure);
      } catch (ClassCastException | NullPointerException e) {
        throw AdminClient.unexpectedResponse(e);
      }
      return Termination.OK;
    }

    static String encoded(String text) {
      return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
  }

  /** List the topics of all nodes, the busiest first. */
  @Command(
      name = "topics",
      header = "List the topics of all nodes, the busiest first.",
      footer = "  sluice topics --admin http://127.0.0.1:9090 --sort subscribers")
  static final class TopicsCommand extends QueryCommand {
    @Option(
        names = "--search",
        paramLabel = "TEXT",
        description = "List only topics that contain this text.")
    private String search;

    @Option(
        names = "--sort",
        paramLabel = "ORDER",
        defaultValue = "rate",
        description =
            "Order of the list: rate, bytes, subscribers, depth, age or gaps (default:"
                + " ${DEFAULT-VALUE}).")
    private String sort;

    @Option(
        names = "--kind",
        paramLabel = "KIND",
        defaultValue = "topic",
        description =
            "Entries of the list: topic, pattern, or all for each interest (default:"
                + " ${DEFAULT-VALUE}).")
    private String kind;

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "20",
        description = "Maximum number of lines, 1 to 1000 (default: ${DEFAULT-VALUE}).")
    private int limit;

    @Override
    String path() {
      String text = search == null ? "" : "&search=" + encoded(search);
      String shown = "&kind=" + encoded(kind);
      return "/topics?sort=" + encoded(sort) + shown + "&limit=" + limit + text;
    }

    @Override
    List<String> lines(JsonObject response) {
      return QueryText.topics(response);
    }
  }

  /** Show a topic by node, and its subscribers. */
  @Command(
      name = "topic",
      header = "Show a topic by node, and its subscribers.",
      footer = "  sluice topic prices.eu --admin http://127.0.0.1:9090")
  static final class TopicCommand extends QueryCommand {
    @Parameters(paramLabel = "TOPIC", description = "Topic or pattern.")
    private String topic;

    @Override
    String path() {
      return "/topics/" + encoded(topic);
    }

    @Override
    List<String> lines(JsonObject response) {
      return QueryText.topicDetail(response);
    }
  }

  /** List the clients of all nodes. */
  @Command(
      name = "clients",
      header = "List the clients of all nodes.",
      footer = "  sluice clients --admin http://127.0.0.1:9090 --sort pending")
  static final class ClientsCommand extends QueryCommand {
    @Option(
        names = "--search",
        paramLabel = "TEXT",
        description = "List only clients whose subject, address or session contains this text.")
    private String search;

    @Option(
        names = "--sort",
        paramLabel = "ORDER",
        defaultValue = "since",
        description =
            "Order of the list: since, pending, rtt, drops or subscriptions (default:"
                + " ${DEFAULT-VALUE}).")
    private String sort;

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "20",
        description = "Maximum number of lines, 1 to 1000 (default: ${DEFAULT-VALUE}).")
    private int limit;

    @Override
    String path() {
      String text = search == null ? "" : "&search=" + encoded(search);
      return "/clients?sort=" + encoded(sort) + "&limit=" + limit + text;
    }

    @Override
    List<String> lines(JsonObject response) {
      return QueryText.clients(response);
    }
  }

  /** Show a client with its permissions and subscriptions. */
  @Command(
      name = "client",
      header = "Show a client with its permissions and subscriptions.",
      footer = "  sluice client gw-1-1763700000-7 --admin http://127.0.0.1:9090")
  static final class ClientCommand extends QueryCommand {
    @Parameters(paramLabel = "SESSION", description = "Id of the session.")
    private String session;

    @Override
    String path() {
      return "/clients/" + encoded(session);
    }

    @Override
    List<String> lines(JsonObject response) {
      return QueryText.client(response);
    }
  }

  /** Show why a client receives no data of a topic. */
  @Command(
      name = "why",
      header = "Show why a client receives no data of a topic.",
      footer = "  sluice why --subject alice --topic prices.eu --admin http://127.0.0.1:9090")
  static final class WhyCommand extends QueryCommand {
    @Option(
        names = "--subject",
        paramLabel = "NAME",
        required = true,
        description = "Client by its credential; empty for anonymous clients.")
    private String subject;

    @Option(
        names = "--topic",
        paramLabel = "TOPIC",
        required = true,
        description = "Topic or pattern.")
    private String topic;

    @Override
    String path() {
      return "/why?subject=" + encoded(subject) + "&topic=" + encoded(topic);
    }

    @Override
    List<String> lines(JsonObject response) {
      return QueryText.why(response);
    }
  }

  /** Show rates, latencies and the broker of all nodes, and firing alerts. */
  @Command(
      name = "overview",
      header = "Show rates, latencies and the broker of all nodes, and firing alerts.",
      footer = "  sluice overview --admin http://127.0.0.1:9090")
  static final class OverviewCommand extends QueryCommand {
    @Override
    String path() {
      return "/overview";
    }

    @Override
    List<String> lines(JsonObject response) {
      return QueryText.overview(response);
    }

    @Override
    List<String> further(AdminClient client, URI node) throws InterruptedException {
      try {
        return QueryText.alerts(client.get(node, "/alerts"));
      } catch (CommandFailure e) { // the overview is valid without them
        return List.of("", "alerts unknown: " + e.getMessage());
      }
    }
  }
}
