package io.sluice.gateway.cli.admin;

import io.sluice.gateway.cli.command.CommandFailure;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.CertPathBuilderException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** HTTP client of nodes' admin ports. Used by the main thread only. */
public final class AdminClient {
  private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(15);

  private final HttpClient http;
  private final String token;
  private final Path ca;

  /**
   * @param token bearer token, or null
   * @param ca file of the trusted authorities, for messages; null for the JDK's
   */
  public AdminClient(HttpClient http, String token, Path ca) {
    this.http = http;
    this.token = token;
    this.ca = ca;
  }

  /** Returns the URL of an admin port, or null if the text is not one. */
  public static URI url(String text) {
    try {
      URI url = URI.create(text);
      boolean web = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      return web && url.getHost() != null ? url : null;
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }

  /**
   * Returns the response to a GET request.
   *
   * @throws CommandFailure with one line for people
   */
  public JsonObject get(URI node, String path) throws InterruptedException {
    return send(HttpRequest.newBuilder(node.resolve(path)).GET(), List.of(200));
  }

  /**
   * Returns a path with parameters.
   *
   * @param parameters name and value of each; a parameter whose value is null is left out
   */
  static String path(String path, Object... parameters) {
    StringBuilder text = new StringBuilder(path);
    for (int i = 0; i < parameters.length; i += 2) {
      if (parameters[i + 1] != null) {
        text.append(text.indexOf("?") < 0 ? '?' : '&').append(parameters[i]).append('=');
        text.append(encoded(parameters[i + 1].toString()));
      }
    }
    return text.toString();
  }

  /** Returns a text as a part of a path or of a parameter. */
  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /**
   * Returns the lines of a response that does not end soon. The stream must be closed.
   *
   * @throws CommandFailure with one line for people
   */
  Stream<String> lines(URI node, String path) throws InterruptedException {
    HttpRequest request = authorized(HttpRequest.newBuilder(node.resolve(path)).GET()).build();
    try {
      HttpResponse<Stream<String>> response =
          http.sendAsync(request, BodyHandlers.ofLines())
              .get(RESPONSE_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      if (response.statusCode() != 200) {
        throw failure(response.statusCode(), response.body().collect(Collectors.joining(" ")));
      }
      return response.body();
    } catch (ExecutionException e) {
      throw new CommandFailure(
          e.getCause() instanceof IOException io ? reason(io) : e.getCause().toString(), e);
    } catch (TimeoutException e) {
      throw new CommandFailure("no response in time", e);
    }
  }

  /**
   * Sends a command and returns the response.
   *
   * @param success status codes of success
   * @throws CommandFailure with one line for people
   */
  public JsonObject post(URI node, String path, JsonObject body, List<Integer> success)
      throws InterruptedException {
    return send("POST", node, path, body, success);
  }

  /**
   * Sends a PUT request and returns the response.
   *
   * @throws CommandFailure with one line for people
   */
  JsonObject put(URI node, String path, JsonObject body) throws InterruptedException {
    return send("PUT", node, path, body, List.of(200));
  }

  /**
   * Sends a DELETE request and returns an empty object.
   *
   * @throws CommandFailure with one line for people
   */
  JsonObject delete(URI node, String path) throws InterruptedException {
    return send(HttpRequest.newBuilder(node.resolve(path)).DELETE(), List.of(204));
  }

  private JsonObject send(
      String method, URI node, String path, JsonObject body, List<Integer> success)
      throws InterruptedException {
    return send(
        HttpRequest.newBuilder(node.resolve(path))
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body.encode())),
        success);
  }

  private JsonObject send(HttpRequest.Builder request, List<Integer> success)
      throws InterruptedException {
    try {
      HttpResponse<String> response =
          http.send(authorized(request).timeout(RESPONSE_TIMEOUT).build(), BodyHandlers.ofString());
      if (!success.contains(response.statusCode())) {
        throw failure(response.statusCode(), response.body());
      }
      return response.statusCode() == 204 ? new JsonObject() : new JsonObject(response.body());
    } catch (IOException e) {
      throw new CommandFailure(reason(e), e);
    } catch (DecodeException e) {
      throw unexpectedResponse(e);
    }
  }

  private HttpRequest.Builder authorized(HttpRequest.Builder request) {
    return token == null ? request : request.header("Authorization", "Bearer " + token);
  }

  private static CommandFailure failure(int status, String body) {
    return new CommandFailure(status + " " + printable(body.strip()));
  }

  /** Returns the failure for a response that is not that of a node. */
  public static CommandFailure unexpectedResponse(Exception cause) {
    return new CommandFailure("the response is not that of a node's admin port", cause);
  }

  private String reason(IOException failure) {
    if (failure instanceof ConnectException) {
      return "not reachable: connection refused";
    }
    if (failure instanceof HttpTimeoutException) {
      return "no response in time";
    }
    return failure instanceof SSLException ? tls(failure) : failure.toString();
  }

  private String tls(Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertPathBuilderException) {
        return "its certificate is not issued by an authority "
            + (ca == null ? "that the JDK trusts; use --ca FILE" : "in --ca " + ca);
      }
    }
    return "TLS failed: " + failure.getMessage();
  }

  /** Returns text from another machine with its control characters replaced by question marks. */
  public static String printable(String text) {
    return text.replaceAll("[\\p{Cc}\\p{Cf}]", "?");
  }
}
