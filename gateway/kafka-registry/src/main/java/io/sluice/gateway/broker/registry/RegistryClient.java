package io.sluice.gateway.broker.registry;

import io.sluice.gateway.config.RequestFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * HTTP client of a schema registry, with a timeout and a size limit. Follows no redirects. An
 * overloaded registry receives no request for the time that it states. Bound to the registry's
 * thread.
 */
final class RegistryClient {
  /** Maximum time of a request with its response. */
  static final long TIMEOUT_MS = 5_000;

  private static final int MAX_BYTES = 4 << 20;
  private static final int SUCCESS = 200;
  private static final int NOT_FOUND = 404;
  private static final Set<Integer> OVERLOADED = Set.of(429, 503);
  private static final Set<Integer> DENIED = Set.of(401, 403);

  /** Pause after the response of an overloaded registry, unless it states another one. */
  private static final long PAUSE_S = 1;

  private static final long MAX_PAUSE_S = 60;

  /** Codes of responses are the status and two digits: no such subject, version or schema. */
  private static final int CODES_PER_STATUS = 100;

  private final RegistryOptions options;
  private final HttpClient http;

  /** Time before which the registry receives no request. */
  private long pausedNs = System.nanoTime();

  /**
   * @param executor runs tasks of the HTTP client, not the registry's thread
   */
  RegistryClient(RegistryOptions options, ExecutorService executor) {
    this.options = options;
    try {
      this.http =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .followRedirects(HttpClient.Redirect.NEVER)
              .sslContext(options.context())
              .executor(executor)
              .build();
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException(options.trust() + " is unusable", e);
    }
  }

  /**
   * Returns the JSON object at a path.
   *
   * @param absent problem of a registry without such an object
   * @throws UnusableSchema if the registry has no such object
   * @throws IOException if it does not provide the object for now
   */
  Map<?, ?> get(String path, String absent) throws IOException, UnusableSchema {
    if (pausedNs - System.nanoTime() > 0) {
      throw new IOException("the registry is overloaded, and asked for a pause");
    }
    HttpResponse<byte[]> response = send(request(path));
    Map<?, ?> object = response.body().length == 0 ? Map.of() : object(response);
    if (response.statusCode() == SUCCESS) {
      return object;
    }
    if (response.statusCode() == NOT_FOUND
        && object.get("error_code") instanceof Number code
        && code.intValue() / CODES_PER_STATUS == NOT_FOUND) {
      throw new UnusableSchema(absent);
    }
    int status = response.statusCode();
    if (OVERLOADED.contains(status)) {
      pausedNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(pauseS(response));
    }
    throw new IOException(
        "the registry responds with status "
            + status
            + (DENIED.contains(status) ? " (kafka.registry.secret)" : ""));
  }

  private static long pauseS(HttpResponse<?> response) {
    String text = response.headers().firstValue("Retry-After").orElse("");
    return text.matches("[0-9]{1,9}")
        ? Math.max(PAUSE_S, Math.min(MAX_PAUSE_S, Long.parseLong(text)))
        : PAUSE_S;
  }

  private HttpRequest request(String path) throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(options.url() + path))
            .header("Accept", "application/vnd.schemaregistry.v1+json, application/json");
    String authorization = options.authorization();
    try {
      return (authorization == null ? request : request.header("Authorization", authorization))
          .build();
    } catch (IllegalArgumentException e) { // not a cause: its message has the secret
      throw new IOException("kafka.registry.secret has a character that HTTP does not allow");
    }
  }

  private static Map<?, ?> object(HttpResponse<byte[]> response) throws IOException {
    try {
      if (JsonTree.parse(response.body()) instanceof Map<?, ?> object) {
        return object;
      }
    } catch (IOException e) {
      if (response.statusCode() == SUCCESS) {
        throw new IOException("the registry does not respond with JSON", e);
      }
    }
    return Map.of();
  }

  private HttpResponse<byte[]> send(HttpRequest request) throws IOException {
    CompletableFuture<HttpResponse<byte[]>> exchange = http.sendAsync(request, head -> body());
    try {
      return exchange.get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException(RequestFailure.reason(e.getCause()), e);
    } catch (TimeoutException e) {
      throw new IOException(RequestFailure.reason(e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      exchange.cancel(true); // no effect on a completed exchange
    }
  }

  // Bytes above the limit are dropped, and the rest is no JSON.
  private static BodySubscriber<byte[]> body() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    return BodySubscribers.mapping(
        BodySubscribers.ofByteArrayConsumer(
            part ->
                part.filter(each -> bytes.size() + each.length <= MAX_BYTES)
                    .ifPresent(bytes::writeBytes)),
        end -> bytes.toByteArray());
  }
}
