package io.sluice.gateway.http;

import io.sluice.gateway.handshake.Refusal;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Static files of the class path: the demo's page and the JavaScript client that it uses. For any
 * thread; files are read once, on worker threads.
 */
public final class Pages {
  /** Response to a method that no file supports. */
  static final Refusal NOT_GET =
      Refusal.method("the method is not GET", "GET, HEAD").with(Refusal.READABLE);

  /** Response to a file that cannot be read. */
  static final Refusal UNREADABLE =
      Refusal.internal("the file cannot be read").with(Refusal.READABLE);

  private static final String NO_ENDPOINT = "nothing at this path; WebSockets connect to /ws";

  /** Possessive quantifiers, because backtracking would use stack for each path segment. */
  private static final Pattern SAFE_PATH =
      Pattern.compile("(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*+)++|/");

  /** Maximum length of a path in characters; all files have shorter ones. */
  private static final int MAX_PATH_LENGTH = 256;

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "map", "application/json",
          "svg", "image/svg+xml",
          "png", "image/png",
          "ico", "image/x-icon");

  private static final String POLICY =
      "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src ";

  private final Map<String, String> foldersByPrefix;

  /** Null if the pages have no endpoints. */
  private final PageActions actions;

  private final Map<String, Optional<Buffer>> files = new ConcurrentHashMap<>();

  private Pages(Map<String, String> foldersByPrefix, PageActions actions) {
    this.foldersByPrefix = foldersByPrefix;
    this.actions = actions;
  }

  /** Returns no pages: every path is answered with 404. */
  public static Pages none() {
    return new Pages(Map.of(), null);
  }

  /** Returns the demo without endpoints: its page at {@code /}, the client at {@code /sluice/}. */
  public static Pages demo() {
    return demo(null);
  }

  /** Returns the demo with the endpoints of its page. */
  public static Pages demo(PageActions actions) {
    Map<String, String> folders = new LinkedHashMap<>();
    folders.put("/sluice/", "META-INF/resources/sluice/");
    folders.put("/", "META-INF/resources/sluice-demo/");
    return new Pages(folders, actions);
  }

  void serve(Vertx vertx, HttpServerRequest request) {
    String path = request.path();
    if (actions != null && path != null && path.startsWith(PageEndpoints.PREFIX)) {
      new PageEndpoints(actions).serve(vertx.getOrCreateContext(), request);
      return;
    }
    boolean possible = path != null && path.length() <= MAX_PATH_LENGTH;
    String resource = possible ? resource(path) : null;
    if (resource == null) {
      answerNotFound(request);
    } else if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
      refuse(request, NOT_GET);
    } else {
      vertx
          .executeBlocking(() -> file(resource))
          .onSuccess(file -> send(request, resource, file))
          .onFailure(failure -> refuse(request, UNREADABLE));
    }
  }

  private String resource(String path) {
    String file = path.endsWith("/") ? path + "index.html" : path;
    if (!SAFE_PATH.matcher(file).matches()) {
      return null;
    }
    for (Map.Entry<String, String> folder : foldersByPrefix.entrySet()) {
      if (file.startsWith(folder.getKey())) {
        return folder.getValue() + file.substring(folder.getKey().length());
      }
    }
    return null;
  }

  // Only existing files are cached, so that requests for other paths cannot fill the memory.
  private Optional<Buffer> file(String resource) {
    Optional<Buffer> cached = files.get(resource);
    if (cached != null) {
      return cached;
    }
    Optional<Buffer> read = read(resource);
    read.ifPresent(content -> files.put(resource, read));
    return read;
  }

  private static Optional<Buffer> read(String resource) {
    try (InputStream in = Pages.class.getClassLoader().getResourceAsStream(resource)) {
      return in == null ? Optional.empty() : Optional.of(Buffer.buffer(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(resource, e);
    }
  }

  private void send(HttpServerRequest request, String resource, Optional<Buffer> file) {
    if (file.isEmpty()) {
      answerNotFound(request);
      return;
    }
    String suffix = resource.substring(resource.lastIndexOf('.') + 1);
    request
        .response()
        .putHeader("Content-Type", TYPES.getOrDefault(suffix, "application/octet-stream"))
        .putHeader("Content-Security-Policy", policy(request))
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("Cache-Control", "no-cache")
        .end(file.get());
  }

  private String policy(HttpServerRequest request) {
    List<Integer> ports = actions == null ? List.of() : actions.ports();
    return POLICY + PageEndpoints.connectSources(request, ports);
  }

  private static void answerNotFound(HttpServerRequest request) {
    refuse(request, Refusal.notFound(NO_ENDPOINT).with(Refusal.READABLE));
  }

  /** Answers with an error. */
  static void refuse(HttpServerRequest request, Refusal refusal) {
    HttpServerResponse response = request.response();
    refusal.headers().forEach(response::putHeader);
    if (request.version() == HttpVersion.HTTP_2) {
      response.headers().remove("Connection"); // malformed there: RFC 9113, section 8.2.2
    }
    Refusal.BODY_HEADERS.forEach(response::putHeader);
    response.setStatusCode(refusal.status()).end(refusal.body());
  }
}
