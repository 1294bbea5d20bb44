package io.sluice.gateway.cli.admin;

import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands that change running nodes. Used by the main thread only. */
public final class LiveCommands {
  private LiveCommands() {}

  /** Returns all commands. */
  public static List<Object> all() {
    return List.of(new ReloadCommand(), new LogLevelCommand());
  }

  /** Command for each of the given nodes; if one fails, the others are still changed. */
  private abstract static class NodesCommand extends AdminCommand {
    /** Changes a node and returns one line for people. */
    abstract String change(AdminClient client, URI node) throws InterruptedException;

    @Override
    public final Integer call() throws InterruptedException {
      each(this::change);
      return Termination.OK;
    }
  }

  @Command(
      name = "reload",
      header = "Reload the configuration files of the given nodes.",
      description =
          "Prints the changed keys that the node has applied, and those that require a restart. A"
              + " file with problems changes nothing; each problem is printed on one line.",
      exitCodeList = {
        "0:all nodes have reloaded their files",
        "1:at least one node failed, or its file has problems",
        Subcommand.INVALID_COMMAND_LINE
      },
      footer = "  sluice reload --admin https://gw-1.example.com:9090 --token-file admin-token")
  private static final class ReloadCommand extends NodesCommand {
    /** Status for a file with problems. */
    private static final int REJECTED = 422;

    private static final String PROBLEMS = "problems";

    @Option(
        names = "--dry-run",
        description =
            "Change nothing; also print the sessions that would lose permissions, at most 100 of a"
                + " node.")
    private boolean dryRun;

    @Override
    String change(AdminClient client, URI node) throws InterruptedException {
      String path = dryRun ? "/reload?dryRun=true" : "/reload";
      JsonObject changes = client.post(node, path, new JsonObject(), List.of(200, REJECTED));
      if (changes.containsKey(PROBLEMS)) {
        texts(changes, PROBLEMS)
            .forEach(each -> printFailure(node + ": " + AdminClient.printable(each)));
        throw new CommandFailure("its file has problems; nothing has changed");
      }
      if (!dryRun) {
        return "applied " + keys(changes, "applied") + "; restart " + restart(changes);
      }
      objects(changes, "sessions")
          .forEach(each -> print(node + ": " + AdminClient.printable(loss(each))));
      return "would apply "
          + keys(changes, "applied")
          + "; restart "
          + restart(changes)
          + "; sessions that lose permissions "
          + changes.getLong("losing", 0L)
          + "; claims that sessions lack until a refresh "
          + keys(changes, "claims");
    }

    private static String loss(JsonObject session) {
      List<String> parts = new ArrayList<>();
      JsonObject lost = session.getJsonObject("lost", new JsonObject());
      lost.fieldNames().forEach(each -> parts.add("loses " + each + " " + keys(lost, each)));
      if (!texts(session, "ends").isEmpty()) {
        parts.add("ends " + keys(session, "ends"));
      }
      if (session.getInteger("more", 0) > 0) {
        parts.add("and " + session.getInteger("more") + " more");
      }
      if (session.getBoolean("closes", false)) {
        parts.add("the session ends: it would have too many permissions");
      }
      return session.getString("session")
          + " "
          + session.getString("subject", session.getString("mechanism"))
          + " "
          + String.join("; ", parts);
    }

    private static List<JsonObject> objects(JsonObject response, String name) {
      try {
        return response.getJsonArray(name).stream().map(JsonObject.class::cast).toList();
      } catch (ClassCastException | NullPointerException e) {
        throw AdminClient.unexpectedResponse(e);
      }
    }

    private static String restart(JsonObject changes) {
      JsonObject reasons = changes.getJsonObject("reasons", new JsonObject());
      String keys =
          reasons.stream()
              .map(reason -> reason.getKey() + " (" + reason.getValue() + ")")
              .collect(Collectors.joining(", "));
      return keys.isEmpty() ? keys(changes, "restart") : keys;
    }

    private static String keys(JsonObject changes, String name) {
      String keys = String.join(", ", texts(changes, name));
      return keys.isEmpty() ? "none" : keys;
    }

    private static List<String> texts(JsonObject response, String name) {
      try {
        return response.getJsonArray(name).stream().map(String::valueOf).toList();
      } catch (ClassCastException | NullPointerException e) {
        throw AdminClient.unexpectedResponse(e);
      }
    }
  }

  @Command(
      name = "log-level",
      header = "Change the level of a logger on the given nodes.",
      description = "The change ends at a restart; log.levels configures levels.",
      exitCodeList = {
        "0:all nodes have the level",
        "1:at least one node failed",
        Subcommand.INVALID_COMMAND_LINE
      },
      footer =
          "  sluice log-level --admin http://127.0.0.1:9090 --for 10m io.sluice.gateway.hub debug")
  private static final class LogLevelCommand extends NodesCommand {
    @Option(
        names = "--for",
        paramLabel = "TIME",
        description =
            "Duration of the change, such as 30s, 10m or 2h, at most 7d; default: until a restart.")
    private String duration;

    @Parameters(
        index = "0",
        paramLabel = "LOGGER",
        description = "Name of the logger, such as io.sluice.gateway.hub; ROOT for the root.")
    private String logger;

    @Parameters(
        index = "1",
        paramLabel = "LEVEL",
        description = "error, warn, info, debug or trace; 'configured' ends a change.")
    private String level;

    @Override
    String change(AdminClient client, URI node) throws InterruptedException {
      JsonObject request =
          new JsonObject().put("logger", logger).put("level", level.toLowerCase(Locale.ROOT));
      if (duration != null) {
        request.put("for", seconds(duration));
      }
      JsonObject changed = client.put(node, "/loggers", request);
      return logger + " " + changed.getValue("level");
    }
  }
}
