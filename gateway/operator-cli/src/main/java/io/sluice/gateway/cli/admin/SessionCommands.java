package io.sluice.gateway.cli.admin;

import io.sluice.gateway.admin.query.RecordText;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Subcommand;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands for one session of a cluster. Used by the main thread only. */
public final class SessionCommands {
  private SessionCommands() {}

  /** Returns all commands. */
  public static List<Object> all() {
    return List.of(new DisconnectCommand(), new RedirectCommand(), new TraceCommand());
  }

  /** Command for one session. */
  @Command(
      description =
          "Any node of the cluster accepts the command and sends it to that of the session.",
      exitCodeList = {
        "0:the node of the session has run the command",
        "1:no node responded, none has the session, or the command had no effect",
        Subcommand.INVALID_COMMAND_LINE
      })
  private abstract static class SessionCommand extends QueryCommand {
    @Parameters(
        paramLabel = "SESSION",
        description = "Id of the session, as listed by 'sluice clients'.")
    private String session;

    @Override
    String path() {
      return "/clients/" + AdminClient.encoded(session);
    }

    JsonObject post(String word, JsonObject body) throws InterruptedException {
      return first((client, node) -> client.post(node, path() + "/" + word, body, List.of(200)));
    }

    /** Returns one line that names the node and the session. */
    final List<String> done(JsonObject response, String what) {
      String node = response.getString("node");
      return List.of(AdminClient.printable(node + ": " + response.getString("session") + what));
    }
  }

  /** End a session. */
  @Command(
      name = "disconnect",
      header = "End a session; the client may reconnect.",
      footer = "  sluice disconnect gw-1-1763700000-7 --admin http://127.0.0.1:9090")
  private static final class DisconnectCommand extends SessionCommand {
    @Override
    JsonObject response() throws InterruptedException {
      return post("disconnect", new JsonObject());
    }

    @Override
    List<String> lines(JsonObject response) {
      return done(response, " has ended");
    }
  }

  @Command(
      name = "redirect",
      header = "Redirect a client to the node with the fewest clients.",
      footer = "  sluice redirect gw-1-1763700000-7 --admin http://127.0.0.1:9090")
  private static final class RedirectCommand extends SessionCommand {
    @Override
    JsonObject response() throws InterruptedException {
      JsonObject response = post("redirect", new JsonObject());
      if (!Boolean.TRUE.equals(response.getValue("done"))) {
        throw new CommandFailure(
            "the client follows no redirects, was redirected recently, or is leaving");
      }
      return response;
    }

    @Override
    List<String> lines(JsonObject response) {
      return done(response, " was redirected");
    }
  }

  @Command(
      name = "trace",
      header = "Record the frames of a session for some time, and print them.",
      description = {
        "Prints time, direction, type, topic and size of the latest 200 frames, without their"
            + " content.",
        "Any node of the cluster accepts the command and sends it to that of the session."
      },
      footer = "  sluice trace gw-1-1763700000-7 --for 30s --admin http://127.0.0.1:9090")
  private static final class TraceCommand extends SessionCommand {
    /** Time in which the frames are read after the trace, in seconds. */
    private static final int MARGIN = 20;

    private static final int MAX = 300 - MARGIN;

    @Option(
        names = "--for",
        paramLabel = "TIME",
        defaultValue = "10s",
        description = "Duration such as 30s or 2m, at most 280s (default: ${DEFAULT-VALUE}).")
    private String duration;

    @Override
    JsonObject response() throws InterruptedException {
      int seconds = seconds(duration);
      if (seconds > MAX) {
        throw wrongUse("--for " + duration + " is longer than " + MAX + "s");
      }
      post("trace", new JsonObject().put("seconds", seconds + MARGIN));
      TimeUnit.SECONDS.sleep(seconds);
      return super.response();
    }

    @Override
    List<String> lines(JsonObject response) {
      return RecordText.frames(response);
    }
  }
}
