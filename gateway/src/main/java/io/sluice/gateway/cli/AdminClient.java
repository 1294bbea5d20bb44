package io.sluice.gateway.cli;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.file.Path;
import java.security.cert.CertPathBuilderException;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLException;

/** Asks admin ports of nodes. Used by the main thread only. */
final class AdminClient {
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(15);

  private final HttpClient http;
  private final String token;
  private final Path ca;

  /**
   * @param token what opens the ports, or null
   * @param ca where the trusted authorities come from, for messages; null for the JDK's
   */
  AdminClient(HttpClient http, String token, Path ca) {
    this.http = http;
    this.token = token;
    this.ca = ca;
  }

  /** An address of an admin port, or null if the text is none. */
  static URI url(String text) {
    try {
      URI url = URI.create(text);
      boolean web = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      return web && url.getHost() != null ? url : null;
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }

  /**
   * What a node shows.
   *
   * @throws CommandFailure with one line for people
   */
  JsonObject get(URI node, String path) throws InterruptedException {
    return send(HttpRequest.newBuilder(node.resolve(path)).GET(), List.of(200));
  }

  /**
   * What a node answers to a command.
   *
   * @param done the statuses that say that it did it, or will, or need not
   * @throws CommandFailure with one line for people
   */
  JsonObject post(URI node, String path, JsonObject body, List<Integer> done)
      throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(node.resolve(path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.encode()));
    return send(request, done);
  }

  private JsonObject send(HttpRequest.Builder request, List<Integer> good)
      throws InterruptedException {
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    try {
      HttpResponse<String> response =
          http.send(request.timeout(ANSWER_LIMIT).build(), BodyHandlers.ofString());
      if (!good.contains(response.statusCode())) {
        throw new CommandFailure(response.statusCode() + " " + printable(response.body().strip()));
      }
      return new JsonObject(response.body());
    } catch (IOException e) {
      throw new CommandFailure(why(e), e);
    } catch (DecodeException e) {
      throw foreign(e);
    }
  }

  /** The answer was read, and is not what a node says. */
  static CommandFailure foreign(Exception cause) {
    return new CommandFailure("the answer is not that of a node's admin port", cause);
  }

  private String why(IOException failure) {
    if (failure instanceof ConnectException) {
      return "it cannot be reached: nobody answers at this address";
    }
    if (failure instanceof HttpTimeoutException) {
      return "it does not answer in time";
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

  /** Returns text of another machine with a question mark for each control character. */
  static String printable(String text) {
    return text.replaceAll("[\\p{Cc}\\p{Cf}]", "?");
  }
}
