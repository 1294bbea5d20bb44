package io.sluice.gateway.cli.admin;

import io.sluice.gateway.admin.query.QueryText;
import io.sluice.gateway.admin.query.QueryWords;
import io.sluice.gateway.admin.query.RecordText;
import io.sluice.gateway.cli.command.Subcommand;
import io.vertx.core.json.JsonObject;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

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
        new OverviewCommand(),
        new AuditCommand(),
        new ConfigCommand());
  }

  /** Option with the maximum number of lines. */
  private static final class Limit {
    private static final int MAX = 1_000;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    private int lines;

    @Option(
        names = "--limit",
        paramLabel = "N",
        defaultValue = "20",
        description = "Maximum number of lines, 1 to 1000 (default: ${DEFAULT-VALUE}).")
    private void set(int value) {
      if (value < 1 || value > MAX) {
        throw new ParameterException(
            spec.commandLine(), "--limit " + value + " is not a number from 1 to " + MAX);
      }
      lines = value;
    }
  }

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
            "Order of the list: rate, bytes, subscribers, log, log-age or gaps (default:"
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

    @Mixin private Limit limit;

    @Override
    String path() {
      String order = word("--sort", sort, QueryWords.TOPIC_ORDERS);
      String entries = word("--kind", kind, QueryWords.TOPIC_KINDS);
      return AdminClient.path(
          "/topics", "sort", order, "kind", entries, "limit", limit.lines, "search", search);
    }

    @Override
    List<String> lines(JsonObject response) {
      return QueryText.topics(response);
    }
  }

  @Command(
      name = "topic",
      header = "Show a topic by node, and its subscribers.",
      footer = "  sluice topic prices.eu --admin http://127.0.0.1:9090")
  static final class TopicCommand extends QueryCommand {
    @Parameters(paramLabel = "TOPIC", description = "Topic or pattern.")
    private String topic;

    @Override
    String path() {
      return "/topics/" + AdminClient.encoded(topic);
    }

    @Override
    List<String> lines(JsonObject response) {
      return QueryText.topicDetail(response);
    }
  }

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
            "Order of the list: since, pending, rtt, gaps or subscriptions (default:"
                + " ${DEFAULT-VALUE}).")
    private String sort;

    @Mixin private Limit limit;

    @Override
    String path() {
      String order = word("--sort", sort, QueryWords.CLIENT_ORDERS);
      return AdminClient.path("/clients", "sort", order, "limit", limit.lines, "search", search);
    }

    @Override
    List<String> lines(JsonObject response) {
      return QueryText.clients(response);
    }
  }

  @Command(
      name = "client",
      header = "Show a client with its permissions and subscriptions.",
      footer = "  sluice client gw-1-1763700000-7 --admin http://127.0.0.1:9090")
  static final class ClientCommand extends QueryCommand {
    @Parameters(paramLabel = "SESSION", description = "Id of the session.")
    private String session;

    @Override
    String path() {
      return "/clients/" + AdminClient.encoded(session);
    }

    @Override
    List<String> lines(JsonObject response) {
      return QueryText.client(response);
    }
  }

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
      return AdminClient.path("/why", "subject", subject, "topic", topic);
    }

    @Override
    List<String> lines(JsonObject response) {
      return QueryText.why(response);
    }
  }

  @Command(
      name = "overview",
      header = "Show rates, latencies and the broker of all nodes.",
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
  }

  @Command(
      name = "audit",
      header = "Search the audit logs of all nodes.",
      description = {
        "Queries all nodes of the cluster through the first admin port that responds. Missing"
            + " nodes are named on standard error.",
        "A node has its latest 1,000 records; audit.file has all."
      },
      footer = "  sluice audit --search alice --admin http://127.0.0.1:9090")
  static final class AuditCommand extends QueryCommand {
    @Option(
        names = "--search",
        paramLabel = "TEXT",
        description = "List only records that contain this text.")
    private String search;

    @Option(
        names = "--kind",
        paramLabel = "EVENT",
        description = "List only this event, such as commanded or refused.")
    private String kind;

    @Mixin private Limit limit;

    @Override
    String path() {
      String event = kind == null ? null : word("--kind", kind, QueryWords.AUDIT_EVENTS);
      return AdminClient.path("/audit", "limit", limit.lines, "search", search, "kind", event);
    }

    @Override
    List<String> lines(JsonObject response) {
      return RecordText.audit(response);
    }
  }

  @Command(
      name = "config",
      header = "Show the effective configuration of a node.",
      description = {
        "Prints each key with its origin and value for the first admin port that responds.",
        "Secrets are masked. 'changed' marks a value that differs in the file."
      },
      exitCodeList = {
        "0:the configuration was printed",
        "1:no node responded",
        Subcommand.INVALID_COMMAND_LINE
      },
      footer = "  sluice config --search limits. --admin http://127.0.0.1:9090")
  static final class ConfigCommand extends QueryCommand {
    @Option(
        names = "--search",
        paramLabel = "TEXT",
        defaultValue = "",
        description = "List only keys whose name or origin contains this text; default: all.")
    private String search;

    @Override
    String path() {
      return "/config";
    }

    @Override
    List<String> lines(JsonObject response) {
      return RecordText.configuration(response, search);
    }
  }
}
