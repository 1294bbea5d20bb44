package io.sluice.gateway.cli.admin;

import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command that revokes credentials on the given nodes. Used by the main thread only. */
@Command(
    name = "revoke",
    header = "Revoke a client's credentials, or end a session, on the given nodes.",
    description = {
      "A node sends the revocation to the other nodes of its cluster; give several in case one"
          + " fails. A session ends only at its own node."
    },
    exitCodeList = {
      "0:all nodes succeeded",
      "1:at least one node failed; the others have the revocation",
      Subcommand.INVALID_COMMAND_LINE
    },
    footer =
        "  sluice revoke --admin https://gw-1.example.com:9090 --token-file admin-token --subject"
            + " alice")
public final class RevokeCommand extends AdminCommand {
  @ArgGroup(exclusive = true, multiplicity = "1")
  private Target target;

  @Option(
      names = "--expires",
      paramLabel = "TIME",
      description =
          "Expiry of the token or certificate, such as 2030-01-31T12:00:00Z; the node then forgets"
              + " the revocation.")
  private String expires;

  /** Credentials or session to revoke; exactly one is set. */
  private static final class Target {
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
        description = "All credentials issued to a client before now.")
    private String subject;

    @Option(
        names = "--session",
        paramLabel = "ID",
        description = "One session; the client may reconnect.")
    private String session;

    @Parameters(
        paramLabel = "SESSION",
        arity = "1",
        description = "One session, as listed by 'sluice clients'; the same as --session.")
    private String argument;

    private JsonObject json() {
      JsonObject json = new JsonObject();
      putIfGiven(json, "token", token);
      putIfGiven(json, "certificate", certificate);
      putIfGiven(json, "subject", subject);
      putIfGiven(json, "session", session == null ? argument : session);
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
    JsonObject request = request();
    each((client, node) -> revoke(client, node, request));
    return Termination.OK;
  }

  private JsonObject request() {
    JsonObject request = target.json();
    if (expires != null) {
      if (!request.containsKey("token") && !request.containsKey("certificate")) {
        throw wrongUse("--expires is allowed with --token-id and --certificate only");
      }
      request.put("expires", expiresMs());
    }
    return request;
  }

  private long expiresMs() {
    try {
      return Instant.parse(expires).toEpochMilli();
    } catch (DateTimeParseException e) {
      throw wrongUse(
          "--expires " + expires + " is not a time; expected a time such as 2030-01-31T12:00:00Z");
    }
  }

  private static String revoke(AdminClient client, URI node, JsonObject request)
      throws InterruptedException {
    Object closed = client.post(node, "/revocations", request, List.of(200)).getValue("closed");
    if (!(closed instanceof Integer)) {
      throw AdminClient.unexpectedResponse(null);
    }
    return "closed " + closed;
  }
}
