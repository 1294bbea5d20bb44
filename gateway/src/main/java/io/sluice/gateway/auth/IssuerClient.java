package io.sluice.gateway.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Asks the issuer of tokens by HTTP: within a time, up to a size, and without following anybody
 * elsewhere. For any thread; never blocks.
 */
final class IssuerClient implements AutoCloseable {
  private static final int THREADS = 2;

  private final ExecutorService threads;
  private final HttpClient http;
  private final Duration timeout;
  private final long mostBytes;
  private final LongAdder failures = new LongAdder();

  private IssuerClient(ExecutorService threads, HttpClient http, Config config) {
    this.threads = threads;
    this.http = http;
    this.timeout = config.get(AuthSettings.HTTP_TIMEOUT);
    this.mostBytes = config.get(AuthSettings.HTTP_BYTES);
  }

  /** Gets ready as configured. */
  static IssuerClient open(Config config) throws UnusableAuth {
    HttpClient.Builder http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(config.get(AuthSettings.HTTP_TIMEOUT));
    String trust = config.get(AuthSettings.TRUST);
    if (!trust.isEmpty()) {
      http.sslContext(IssuerTrust.read(trust));
    }
    ExecutorService threads = DaemonThreads.pool("sluice-auth-http", THREADS);
    return new IssuerClient(threads, http.executor(threads).build(), config);
  }

  /** Counts that the issuer was asked in vain: no answer, or none of use. */
  void failed() {
    failures.increment();
  }

  long failures() {
    return failures.sum();
  }

  CompletableFuture<String> get(URI url) {
    return send(() -> HttpRequest.newBuilder(url).GET());
  }

  /**
   * Sends a form.
   *
   * @param authorization the header of this name
   */
  CompletableFuture<String> post(URI url, String authorization, String form) {
    return send(
        () ->
            HttpRequest.newBuilder(url)
                .header("Authorization", authorization)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form)));
  }

  /**
   * Never throws, because callers remember what is under way; fails with {@link UnusableAnswer}
   * only, unless this is closed.
   */
  private CompletableFuture<String> send(Supplier<HttpRequest.Builder> builder) {
    HttpRequest request;
    try {
      request = builder.get().header("Accept", "application/json").build();
    } catch (RuntimeException e) { // such as of a URL with another scheme
      return CompletableFuture.failedFuture(
          new UnusableAnswer("the issuer cannot be asked: " + e.getMessage(), e));
    }
    return send(request);
  }

  private CompletableFuture<String> send(HttpRequest request) {
    CompletableFuture<HttpResponse<byte[]>> sent;
    try {
      sent = http.sendAsync(request, answer -> new BoundedBody(mostBytes));
    } catch (RuntimeException e) { // such as of an executor that was shut down
      sent = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<HttpResponse<byte[]>> exchange = sent;
    return exchange
        .copy()
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .handle(
            (response, failure) -> {
              exchange.cancel(true); // without effect on one that has ended
              return answer(request.uri(), response, failure);
            });
  }

  private String answer(URI url, HttpResponse<byte[]> response, Throwable failure) {
    if (failure == null && response.statusCode() == 200) {
      return new String(response.body(), UTF_8);
    }
    if (failure == null) {
      throw new UnusableAnswer(url + " answers with status " + response.statusCode(), null);
    }
    Throwable cause = Refusals.cause(failure);
    if (cause instanceof TimeoutException) {
      throw new UnusableAnswer(
          url + " does not answer within " + timeout.toMillis() + " ms", cause);
    }
    if (cause instanceof IOException) {
      throw new UnusableAnswer(url + " cannot be asked: " + cause, cause);
    }
    throw new CompletionException(cause);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
