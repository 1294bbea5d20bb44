package io.sluice.gateway.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.gateway.auth.AuthOptions.IssuerOptions;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.RequestFailure;
import io.sluice.gateway.config.SettingFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * HTTP client for the issuer of tokens, with a timeout and a response size limit. It follows no
 * redirects. For any thread; never blocks.
 */
final class IssuerClient implements AutoCloseable {
  private static final int THREADS = 2;

  /** Maximum size of a response. */
  private static final int MAX_BYTES = 1 << 20;

  private final ExecutorService threads;
  private final HttpClient http;
  private final Duration timeout;
  private final LongAdder failures = new LongAdder();

  private IssuerClient(ExecutorService threads, HttpClient http, IssuerOptions options) {
    this.threads = threads;
    this.http = http;
    this.timeout = options.timeout();
  }

  /** Creates a client as configured and starts its threads. */
  static IssuerClient open(IssuerOptions options) throws UnusableAuth {
    HttpClient.Builder http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(options.timeout());
    String trust = options.trust();
    if (!trust.isEmpty()) {
      http.sslContext(trust(trust));
    }
    ExecutorService threads = AuthExecutor.pool("sluice-auth-http", THREADS);
    return new IssuerClient(threads, http.executor(threads).build(), options);
  }

  /** Counts a failed request: no response, or an unusable one. */
  void onFailure() {
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
   * @param authorization value of the header of this name
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
   * Sends a request. Never throws, because callers keep a map of requests in flight. Fails with
   * {@link UnusableAnswer} only, unless this client is closed.
   */
  private CompletableFuture<String> send(Supplier<HttpRequest.Builder> builder) {
    HttpRequest request;
    try {
      request = builder.get().header("Accept", "application/json").build();
    } catch (RuntimeException e) { // such as of a URL with another scheme
      return CompletableFuture.failedFuture(
          new UnusableAnswer("the request to the issuer is invalid: " + e.getMessage(), e));
    }
    return send(request);
  }

  private CompletableFuture<String> send(HttpRequest request) {
    CompletableFuture<HttpResponse<byte[]>> sent;
    try {
      sent = http.sendAsync(request, answer -> new BoundedBody());
    } catch (RuntimeException e) { // such as of an executor that was shut down
      sent = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<HttpResponse<byte[]>> exchange = sent;
    return exchange
        .copy()
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .handle(
            (response, failure) -> {
              exchange.cancel(true); // no effect on a completed exchange
              return answer(request.uri(), response, failure);
            });
  }

  private String answer(URI url, HttpResponse<byte[]> response, Throwable failure) {
    if (failure == null && response.statusCode() == 200) {
      return new String(response.body(), UTF_8);
    }
    if (failure == null) {
      throw new UnusableAnswer(url + " responds with status " + response.statusCode(), null);
    }
    Throwable cause = AuthenticationFailure.unwrapped(failure);
    if (cause instanceof TimeoutException) {
      throw new UnusableAnswer(
          url + " does not respond within " + timeout.toMillis() + " ms", cause);
    }
    if (cause instanceof IOException) {
      throw new UnusableAnswer(
          "request to " + url + " failed: " + RequestFailure.reason(cause), cause);
    }
    throw new CompletionException(cause);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }

  /** Returns a context that trusts the JDK's authorities and those of a file. */
  static SSLContext trust(String name) throws UnusableAuth {
    try (InputStream in = Files.newInputStream(Path.of(name))) {
      Collection<? extends Certificate> added = certificates(name, in);
      KeyStore all = ofTheJdk();
      for (Certificate each : added) {
        all.setCertificateEntry("added-" + all.size(), each);
      }
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers(all), null);
      return context;
    } catch (InvalidPathException e) {
      throw unusable(name + " is not a valid file name", e);
    } catch (IOException | GeneralSecurityException e) {
      throw unusable(name + " cannot be read: " + SettingFile.reason(e), e);
    }
  }

  private static Collection<? extends Certificate> certificates(String name, InputStream in)
      throws UnusableAuth {
    String none = name + " holds no PEM certificate (-----BEGIN CERTIFICATE-----)";
    try {
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (found.isEmpty()) {
        throw unusable(none, null);
      }
      return found;
    } catch (CertificateException e) {
      throw unusable(none + ", or one that is malformed: " + e.getMessage(), e);
    }
  }

  private static KeyStore ofTheJdk() throws GeneralSecurityException, IOException {
    KeyStore all = KeyStore.getInstance("PKCS12");
    all.load(null, null);
    for (TrustManager each : managers(null)) {
      if (each instanceof X509TrustManager manager) {
        for (Certificate authority : manager.getAcceptedIssuers()) {
          all.setCertificateEntry("jdk-" + all.size(), authority);
        }
      }
    }
    return all;
  }

  private static TrustManager[] managers(KeyStore store) throws GeneralSecurityException {
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(store);
    return managers.getTrustManagers();
  }

  private static UnusableAuth unusable(String what, Exception cause) {
    return new UnusableAuth(AuthSettings.TRUST, what, cause);
  }

  /**
   * Failure of a request to the issuer, or an unusable response. The message is for the operator.
   */
  static final class UnusableAnswer extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnusableAnswer(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** Response body with a size limit; a longer one cancels the exchange. For one response. */
  private static final class BoundedBody implements HttpResponse.BodySubscriber<byte[]> {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private Flow.Subscription subscription;

    @Override
    public CompletionStage<byte[]> getBody() {
      return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription to) {
      subscription = to;
      to.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
      for (ByteBuffer buffer : buffers) {
        if (bytes.size() + buffer.remaining() > MAX_BYTES) {
          subscription.cancel();
          body.completeExceptionally(
              new IOException("the response is larger than " + MAX_BYTES + " bytes"));
          return;
        }
        byte[] part = new byte[buffer.remaining()];
        buffer.get(part);
        bytes.writeBytes(part);
      }
      subscription.request(1);
    }

    @Override
    public void onError(Throwable failure) {
      body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      body.complete(bytes.toByteArray());
    }
  }
}
