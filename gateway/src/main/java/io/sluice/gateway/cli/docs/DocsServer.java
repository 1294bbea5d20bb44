package io.sluice.gateway.cli.docs;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * HTTP server for the files of the documentation site. A dedicated thread serves all requests; any
 * thread may close the server. A path without extension selects the HTML file of that name, as the
 * site's links require.
 */
public final class DocsServer implements AutoCloseable {
  /** Length of the accept queue; 0: the default of the operating system. */
  private static final int ACCEPT_BACKLOG = 0;

  /** Content length of a response without a body. */
  private static final long NO_BODY = -1;

  private static final String DEFAULT_CONTENT_TYPE = "application/octet-stream";

  /** Content types by the extension of the file. */
  private static final Map<String, String> CONTENT_TYPES =
      Map.of(
          "css", "text/css; charset=utf-8",
          "csv", "text/csv; charset=utf-8",
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "json", "application/json",
          "png", "image/png",
          "svg", "image/svg+xml",
          "txt", "text/plain; charset=utf-8",
          "woff2", "font/woff2",
          "yaml", "application/yaml");

  /** Value of the header. VitePress selects the light or dark appearance by an inline script. */
  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline';"
          + " img-src 'self' data:; frame-ancestors 'none'";

  private final Path site;
  private final HttpServer server;

  private DocsServer(Path site, HttpServer server) {
    this.site = site;
    this.server = server;
  }

  /**
   * Starts a server.
   *
   * @param port port to listen on; 0: a free port
   */
  public static DocsServer start(Path site, String host, int port) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(host, port), ACCEPT_BACKLOG);
    DocsServer docs = new DocsServer(site.toRealPath(), server);
    server.createContext("/", docs::onRequest);
    server.start();
    return docs;
  }

  /** Returns the port. */
  public int port() {
    return server.getAddress().getPort();
  }

  private void onRequest(HttpExchange exchange) throws IOException {
    try (exchange) {
      String method = exchange.getRequestMethod();
      if (method.equals("GET") || method.equals("HEAD")) {
        sendFile(exchange, method.equals("GET"));
      } else {
        exchange.getResponseHeaders().set("Allow", "GET, HEAD");
        exchange.sendResponseHeaders(405, NO_BODY);
      }
    }
  }

  private void sendFile(HttpExchange exchange, boolean hasBody) throws IOException {
    Optional<Path> found = file(exchange.getRequestURI().getPath());
    Path file = found.orElse(site.resolve("404.html"));
    byte[] body = Files.isRegularFile(file) ? Files.readAllBytes(file) : new byte[0];
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", contentType(file));
    headers.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Cache-Control", "no-cache");
    boolean sendsBody = hasBody && body.length > 0;
    exchange.sendResponseHeaders(found.isPresent() ? 200 : 404, sendsBody ? body.length : NO_BODY);
    if (sendsBody) {
      exchange.getResponseBody().write(body);
    }
  }

  /** Returns the file for a request path, or nothing if the site contains none. */
  private Optional<Path> file(String path) {
    String name = path.substring(1);
    if (name.indexOf('\0') >= 0) {
      return Optional.empty();
    }
    Stream<String> candidates =
        name.isEmpty() || name.endsWith("/")
            ? Stream.of(name + "index.html")
            : Stream.of(name, name + ".html");
    return candidates
        .map(candidate -> site.resolve(candidate).normalize())
        .filter(file -> file.startsWith(site) && Files.isRegularFile(file))
        .findFirst();
  }

  private static String contentType(Path file) {
    String name = file.getFileName().toString();
    String extension = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    return CONTENT_TYPES.getOrDefault(extension, DEFAULT_CONTENT_TYPE);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
