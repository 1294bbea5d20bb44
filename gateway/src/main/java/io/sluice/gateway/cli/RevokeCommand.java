package io.sluice.gateway.cli;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.cert.CertPathBuilderException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLException;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
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
    versionProvider = Sluice.Version.class)
final class RevokeCommand implements Callable<Integer> {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(15);

  @Spec private CommandSpec spec;

  @Option(
      names = "--admin",
      paramLabel = "URL",
      required = true,
      split = ",",
      description = "The admin port of a node, such as http://127.0.0.1:9090; several by commas.")
  private List<String> nodes;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File whose first line is the token that the nodes ask for (admin.token-file).")
  private Path tokenFile;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description =
          "PEM file of the authorities that vouch for the nodes' certificates (admin.tls.certificate),"
              + " instead of the JDK's.")
  private Path ca;

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
    List<URI> addresses = nodes.stream().map(this::address).toList();
    String order = order();
    String token = tokenFile == null ? null : token(tokenFile);
    HttpClient http = http();
    PrintWriter out = spec.commandLine().getOut();
    int failed = 0;
    for (int i = 0; i < addresses.size(); i++) {
      try {
        out.println(nodes.get(i) + ": " + revoke(http, addresses.get(i), token, order));
      } catch (IOException | RuntimeException e) { // the others are told all the same
        failed++;
        spec.commandLine().getErr().println(nodes.get(i) + ": " + why(e));
      }
      out.flush();
    }
    if (failed > 0) {
      throw new CommandFailure(
          failed + " of " + addresses.size() + " nodes did not do it" + others(failed));
    }
    return Sluice.OK;
  }

  private String why(Exception failure) {
    if (failure instanceof CommandFailure) {
      return failure.getMessage();
    }
    if (failure instanceof ConnectException) {
      return "it cannot be reached: nobody answers at this address";
    }
    return failure instanceof SSLException ? tls(failure) : failure.toString();
  }

  private String tls(Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertPathBuilderException) {
        return "its certificate is of no authority "
            + (ca == null ? "that the JDK trusts; --ca FILE names others" : "in --ca " + ca);
      }
    }
    return "TLS failed: " + failure.getMessage();
  }

  private HttpClient http() {
    HttpClient.Builder http =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT_LIMIT);
    if (ca != null) {
      http.sslContext(Authorities.trust("--ca", ca));
    }
    return http.build();
  }

  private String others(int failed) {
    return failed < nodes.size() ? "; the others did" : "";
  }

  private String order() {
    JsonObject order = what.json();
    if (expires != null) {
      if (!order.containsKey("token") && !order.containsKey("certificate")) {
        throw wrong("--expires has a meaning with --token-id and --certificate only");
      }
      order.put("expires", expiresMs());
    }
    return order.encode();
  }

  private long expiresMs() {
    try {
      return Instant.parse(expires).toEpochMilli();
    } catch (DateTimeParseException e) {
      throw wrong("--expires " + expires + " is no time; expected such as 2030-01-31T12:00:00Z");
    }
  }

  private URI address(String node) {
    try {
      URI uri = URI.create(node);
      boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (web && uri.getHost() != null) {
        return uri.resolve("/revocations");
      }
    } catch (IllegalArgumentException malformed) {
      // told below
    }
    throw wrong("--admin " + node + " is no URL; expected such as http://127.0.0.1:9090");
  }

  private ParameterException wrong(String why) {
    return new ParameterException(spec.commandLine(), why);
  }

  private static String token(Path file) {
    try {
      return Files.readAllLines(file).stream()
          .map(String::strip)
          .filter(line -> !line.isEmpty())
          .findFirst()
          .orElseThrow(() -> new CommandFailure("--token-file " + file + " holds no token"));
    } catch (IOException | InvalidPathException e) {
      throw new CommandFailure("--token-file " + file + " cannot be read: " + e, e);
    }
  }

  private static String revoke(HttpClient http, URI node, String token, String order)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(node)
            .timeout(ANSWER_LIMIT)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(order));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new CommandFailure(response.statusCode() + " " + response.body().strip());
    }
    Object closed = new JsonObject(response.body()).getValue("closed");
    if (!(closed instanceof Integer)) {
      throw new CommandFailure("the answer is not that of a node's admin port");
    }
    return "closed " + closed;
  }
}
