package io.sluice.gateway.cli;

import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Withdraws credentials at all nodes that it is told. Used by the main thread only. */
@Command(
    name = "revoke",
    header = "Withdraw a client's credentials, or end a session, at every node named.",
    description = {
      "Each node knows only what it is told itself, so name all of them. Those that answered keep"
          + " the",
      "revocation if another one could not be reached. Exit code 0: all of them did it; 1: not all."
    },
    sortOptions = false,
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class RevokeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private AdminPorts ports;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private What what;

  @Option(
      names = "--expires",
      paramLabel = "TIME",
      description = "When the token or certificate ends by itself, such as 2030-01-31T12:00:00Z.")
  private String expires;

  /** Exactly one of them. */
  private static final class What {
    @Option(names = "--token-id", paramLabel = "ID", description = "One token, by its id (jti).")
    private String token;

    @Option(
        names = "--certificate",
        paramLabel = "SERIAL",
        description = "One certificate, by its serial number in hexadecimal.")
    private String certificate;

    @Option(
        names = "--subject",
        paramLabel = "NAME",
        description = "All credentials that a client got before now.")
    private String subject;

    @Option(names = "--session", paramLabel = "ID", description = "One session; it may come again.")
    private String session;

    private JsonObject json() {
      JsonObject json = new JsonObject();
      putIfGiven(json, "token", token);
      putIfGiven(json, "certificate", certificate);
      putIfGiven(json, "subject", subject);
      putIfGiven(json, "session", session);
      return json;
    }

    private static void putIfGiven(JsonObject json, String name, String value) {
      if (value != null) {
        json.put(name, value);
      }
    }
  }

  @Override
  public Integer call() throws InterruptedException {
    List<URI> nodes = ports.nodes();
    JsonObject order = order();
    AdminClient client = ports.client();
    PrintWriter out = spec.commandLine().getOut();
    int failed = 0;
    for (URI node : nodes) {
      try {
        out.println(node + ": " + revoke(client, node, order));
      } catch (RuntimeException e) { // the others are told all the same
        failed++;
        String why = e instanceof CommandFailure ? e.getMessage() : e.toString();
        spec.commandLine().getErr().println(node + ": " + why);
      }
      out.flush();
    }
    if (failed > 0) {
      throw new CommandFailure(
          failed
              + " of "
              + nodes.size()
              + " nodes did not do it"
              + (failed < nodes.size() ? "; the others did" : ""));
    }
    return Termination.OK;
  }

  private JsonObject order() {
    JsonObject order = what.json();
    if (expires != null) {
      if (!order.containsKey("token") && !order.containsKey("certificate")) {
        throw wrong("--expires has a meaning with --token-id and --certificate only");
      }
      order.put("expires", expiresMs());
    }
    return order;
  }

  private long expiresMs() {
    try {
      return Instant.parse(expires).toEpochMilli();
    } catch (DateTimeParseException e) {
      throw wrong("--expires " + expires + " is no time; expected such as 2030-01-31T12:00:00Z");
    }
  }

  private ParameterException wrong(String why) {
    return new ParameterException(spec.commandLine(), why);
  }

  private static String revoke(AdminClient client, URI node, JsonObject order)
      throws InterruptedException {
    Object closed = client.post(node, "/revocations", order, List.of(200)).getValue("closed");
    if (!(closed instanceof Integer)) {
      throw AdminClient.foreign(null);
    }
    return "closed " + closed;
  }
}
