package io.sluice.gateway.admin.console;

import io.sluice.gateway.admin.login.OidcLogin;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Files of the console below {@code /console/}. Bound to the admin event loop; files are read once,
 * on its worker.
 *
 * <p>A request with a query is refused, because a token in an address would be in logs and in the
 * browser's history. The callback of a login is an exception.
 */
public final class ConsoleFiles {
  private static final String ROOT = "/console";
  private static final String FOLDER = "META-INF/resources/sluice-console/";
  private static final String INDEX = "index.html";

  /** No path outside the folder matches. */
  private static final Pattern PATH =
      Pattern.compile("/console/(|assets/[0-9a-f]{16}\\.(?:js|css|svg))");

  /** Address to which an issuer redirects the browser with the result of a login. */
  private static final String CALLBACK = ROOT + "/callback";

  /** The parameter contains further origins for requests of the page. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'%s;"
          + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'; trusted-types 'none'";

  /** Headers of every response. */
  private static final Map<String, String> HEADERS =
      Map.of(
          "Cross-Origin-Opener-Policy", "same-origin",
          "Cross-Origin-Resource-Policy", "same-origin",
          "Referrer-Policy", "no-referrer",
          "X-Content-Type-Options", "nosniff",
          "X-Frame-Options", "DENY");

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml");

  private final Vertx vertx;
  private final OidcLogin oidc;
  private final Map<String, Optional<File>> files = new ConcurrentHashMap<>();

  /** One file: its content, compressed by gzip too, and its hash. */
  private record File(Buffer content, Buffer gzip, String hash) {}

  /**
   * @param oidc login by OpenID Connect, whose issuer the page may contact; null without one
   */
  public ConsoleFiles(Vertx vertx, OidcLogin oidc) {
    this.vertx = vertx;
    this.oidc = oidc;
  }

  /** Returns whether a path belongs to the console. */
  public static boolean matches(String path) {
    return path != null && (path.equals(ROOT) || path.startsWith(ROOT + "/"));
  }

  /** Sends a file, or the reason why there is none. */
  public void serve(HttpServerRequest request) {
    HEADERS.forEach(request.response()::putHeader);
    request.response().putHeader("Content-Security-Policy", policy());
    if (!isRead(request)) {
      request.response().putHeader("Allow", "GET, HEAD");
      text(request, 405, "method " + request.method() + " is not allowed here; allowed: GET, HEAD");
    } else if (isCallback(request)) {
      serveFile(request, INDEX);
    } else if (request.query() != null) {
      text(request, 400, "the console has no query parameters; do not put a token in an address");
    } else if (request.path().equals(ROOT)) {
      // Relative, because a proxy may have added a prefix.
      request.response().putHeader("Location", "console/");
      text(request, 308, "the console is at console/");
    } else {
      Matcher matcher = PATH.matcher(request.path());
      if (matcher.matches()) {
        serveFile(request, matcher.group(1).isEmpty() ? INDEX : matcher.group(1));
      } else {
        text(request, 404, "no such file of the console");
      }
    }
  }

  // Its query has an authorization code, which is useless without the verifier in the page.
  private boolean isCallback(HttpServerRequest request) {
    return oidc != null && request.path().equals(CALLBACK);
  }

  private String policy() {
    List<String> origins = oidc == null ? List.of() : oidc.origins();
    return POLICY.formatted(origins.stream().map(" "::concat).collect(Collectors.joining()));
  }

  private void serveFile(HttpServerRequest request, String name) {
    vertx
        .executeBlocking(() -> file(name))
        .onSuccess(file -> send(request, name, file))
        .onFailure(cause -> text(request, 500, "the file cannot be read"));
  }

  // Only existing files are kept, so that requests for other paths cannot fill the memory.
  private Optional<File> file(String name) {
    Optional<File> known = files.get(name);
    if (known != null) {
      return known;
    }
    Optional<File> read =
        read(name)
            .map(content -> new File(content, read(name + ".gz").orElse(null), hash(content)));
    read.ifPresent(file -> files.put(name, read));
    return read;
  }

  private static Optional<Buffer> read(String name) {
    try (InputStream in = ConsoleFiles.class.getClassLoader().getResourceAsStream(FOLDER + name)) {
      return in == null ? Optional.empty() : Optional.of(Buffer.buffer(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }

  private static String hash(Buffer content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.getBytes());
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  private void send(HttpServerRequest request, String name, Optional<File> found) {
    if (found.isEmpty()) {
      text(request, 404, "no such file of the console");
      return;
    }
    File file = found.get();
    boolean compressed = file.gzip != null && acceptsGzip(request);
    String tag = '"' + file.hash + '-' + policyHash() + (compressed ? "-gzip\"" : "\"");
    HttpServerResponse response = request.response();
    response
        .putHeader("Cache-Control", cacheControl(request, name))
        .putHeader("ETag", tag)
        .putHeader("Vary", "Accept-Encoding");
    if (tag.equals(request.getHeader("If-None-Match"))) {
      response.setStatusCode(304).end();
      return;
    }
    if (compressed) {
      response.putHeader("Content-Encoding", "gzip");
    }
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    end(request, type, compressed ? file.gzip : file.content);
  }

  // A browser that has the page renews its policy with it.
  private String policyHash() {
    return Integer.toHexString(policy().hashCode());
  }

  private String cacheControl(HttpServerRequest request, String name) {
    if (!name.equals(INDEX)) {
      return "public, max-age=31536000, immutable";
    }
    return isCallback(request) ? "no-store" : "no-cache";
  }

  private static boolean acceptsGzip(HttpServerRequest request) {
    String accepted = request.getHeader("Accept-Encoding");
    return accepted != null && accepted.contains("gzip") && !accepted.contains("gzip;q=0");
  }

  private static boolean isRead(HttpServerRequest request) {
    return request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
  }

  private static void text(HttpServerRequest request, int status, String line) {
    HttpServerResponse response = request.response();
    if (!response.closed() && !response.ended()) {
      response.setStatusCode(status).putHeader("Cache-Control", "no-store");
      end(request, "text/plain; charset=utf-8", Buffer.buffer(line + "\n"));
    }
  }

  private static void end(HttpServerRequest request, String type, Buffer content) {
    HttpServerResponse response = request.response();
    if (response.closed() || response.ended()) {
      return;
    }
    response
        .putHeader("Content-Type", type)
        .putHeader("Content-Length", Integer.toString(content.length()));
    if (request.method().equals(HttpMethod.HEAD)) {
      response.end();
    } else {
      response.end(content);
    }
  }
}
