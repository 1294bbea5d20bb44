package io.sluice.gateway.cli;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.MimeMapping;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Documentation site, served by Vert.x. A path without extension selects the HTML file of that
 * name, as the site's links require. The event loop serves all requests; any thread may close it.
 */
final class DocsSite implements AutoCloseable {
  /** VitePress selects the light or dark appearance by an inline script. */
  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline';"
          + " img-src 'self' data:; frame-ancestors 'none'";

  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  private final Path folder;

  DocsSite(Path folder) {
    this.folder = folder.toAbsolutePath().normalize();
  }

  /**
   * Starts to listen.
   *
   * @param port port to listen on; 0: a free port
   */
  Future<HttpServer> listen(String host, int port) {
    return vertx.createHttpServer().requestHandler(this::onRequest).listen(port, host);
  }

  private void onRequest(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
      response.setStatusCode(405).putHeader("Allow", "GET, HEAD").end();
      return;
    }
    Optional<Path> found = file(request.path());
    Path file = found.orElse(folder.resolve("404.html"));
    String type = MimeMapping.mimeTypeForFilename(file.toString());
    if (type != null && type.startsWith("text/")) {
      response.putHeader("Content-Type", type + "; charset=utf-8");
    }
    response
        .setStatusCode(found.isPresent() ? 200 : 404)
        .putHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("Cache-Control", "no-cache");
    // Vert.x would send the file in response to HEAD, too.
    if (request.method().equals(HttpMethod.HEAD)) {
      response.end();
    } else {
      response.sendFile(file.toString()).onFailure(e -> response.end());
    }
  }

  /** Returns the file for a request path, or nothing if the site contains none. */
  private Optional<Path> file(String path) {
    try {
      String name = URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
      String relative = name.replaceFirst("^/+", "");
      Stream<String> candidates =
          relative.isEmpty() || relative.endsWith("/")
              ? Stream.of(relative + "index.html")
              : Stream.of(relative, relative + ".html");
      return candidates
          .map(candidate -> folder.resolve(candidate).normalize())
          .filter(file -> file.startsWith(folder) && Files.isRegularFile(file))
          .findFirst();
    } catch (IllegalArgumentException e) {
      return Optional.empty(); // an invalid escape, or no path of this file system
    }
  }

  @Override
  public void close() {
    vertx.close();
  }
}
