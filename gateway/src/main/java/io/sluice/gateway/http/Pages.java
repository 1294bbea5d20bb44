package io.sluice.gateway.http;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Static files of the class path: the demo's page and the JavaScript client that it uses. For any
 * thread; files are read once, on worker threads.
 */
public final class Pages {
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

  private final Map<String, String> foldersByPrefix;
  private final Map<String, Optional<Buffer>> files = new ConcurrentHashMap<>();

  private Pages(Map<String, String> foldersByPrefix) {
    this.foldersByPrefix = foldersByPrefix;
  }

  /** Returns no pages: every path is answered with 404. */
  public static Pages none() {
    return new Pages(Map.of());
  }

  /** Returns the demo: its page at {@code /}, the client at {@code /sluice/}. */
  public static Pages demo() {
    Map<String, String> folders = new LinkedHashMap<>();
    folders.put("/sluice/", "META-INF/resources/sluice/");
    folders.put("/", "demo/");
    return new Pages(folders);
  }

  void serve(Vertx vertx, HttpServerRequest request) {
    String path = request.path();
    boolean possible = path != null && path.length() <= MAX_PATH_LENGTH;
    String resource = possible ? resource(path) : null;
    if (resource == null) {
      answer(request, 404, "nothing at this path; WebSockets connect to /ws");
    } else if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
      request.response().putHeader("Allow", "GET, HEAD");
      answer(request, 405, "the method is not GET");
    } else {
      vertx
          .executeBlocking(() -> file(resource))
          .onSuccess(file -> send(request, resource, file))
          .onFailure(failure -> answer(request, 500, "the file cannot be read"));
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

  private static void send(HttpServerRequest request, String resource, Optional<Buffer> file) {
    if (file.isEmpty()) {
      answer(request, 404, "nothing at this path; WebSockets connect to /ws");
      return;
    }
    String suffix = resource.substring(resource.lastIndexOf('.') + 1);
    request
        .response()
        .putHeader("Content-Type", TYPES.getOrDefault(suffix, "application/octet-stream"))
        .putHeader("Content-Security-Policy", "default-src 'self'; connect-src 'self' ws: wss:")
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("Cache-Control", "no-cache")
        .end(file.get());
  }

  static void answer(HttpServerRequest request, int status, String line) {
    request
        .response()
        .setStatusCode(status)
        .putHeader("Content-Type", "text/plain; charset=utf-8")
        .putHeader("X-Content-Type-Options", "nosniff")
        .end(line + "\n");
  }
}
