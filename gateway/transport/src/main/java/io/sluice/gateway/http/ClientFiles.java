package io.sluice.gateway.http;

import io.sluice.gateway.handshake.Refusal;
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
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Files of the JavaScript client that pages of any origin may load: {@code /sluice.js}, {@code
 * /sluice.global.js}, {@code /sluice.json}, and the files with a hash of their content below {@code
 * /client/}. For any thread; files are read once, on worker threads.
 */
final class ClientFiles {
  private static final Refusal NOT_FOUND =
      Refusal.notFound("no such file of the client; /sluice.json names them")
          .with(Refusal.READABLE);

  private static final String FOLDER = "META-INF/resources/sluice-client";

  /** No path outside the folder matches. */
  private static final Pattern PATH =
      Pattern.compile("/sluice\\.(?:js|global\\.js|json)|/client/[A-Za-z0-9.-]{1,64}\\.js");

  private static final String REVALIDATED = "no-cache";
  private static final String IMMUTABLE = "public, max-age=31536000, immutable";
  private static final int HASH_DIGITS = 32;

  private final Map<String, Optional<File>> files = new ConcurrentHashMap<>();

  /** Encodings of a file, best first. */
  private enum Coding {
    BROTLI("br", ".br"),
    GZIP("gzip", ".gz");

    private final String token;
    private final String suffix;

    Coding(String token, String suffix) {
      this.token = token;
      this.suffix = suffix;
    }
  }

  /** One file: its content, and compressed ones if they exist. */
  private record File(Buffer content, String hash, Map<Coding, Buffer> encoded) {}

  /** Returns whether a path may name one of the files. */
  static boolean matches(String path) {
    return path != null && PATH.matcher(path).matches();
  }

  void serve(Vertx vertx, HttpServerRequest request) {
    if (request.method() != HttpMethod.GET && request.method() != HttpMethod.HEAD) {
      Pages.refuse(request, Pages.NOT_GET);
      return;
    }
    String path = request.path();
    vertx
        .executeBlocking(() -> file(path))
        .onSuccess(file -> send(request, path, file))
        .onFailure(failure -> Pages.refuse(request, Pages.UNREADABLE));
  }

  // Only existing files are kept, so that requests for other paths cannot fill the memory.
  private Optional<File> file(String path) {
    Optional<File> known = files.get(path);
    if (known != null) {
      return known;
    }
    Optional<File> read =
        read(path).map(content -> new File(content, hash(content), encoded(path)));
    read.ifPresent(file -> files.put(path, read));
    return read;
  }

  private static Map<Coding, Buffer> encoded(String path) {
    Map<Coding, Buffer> encoded = new ConcurrentHashMap<>();
    for (Coding coding : Coding.values()) {
      read(path + coding.suffix).ifPresent(content -> encoded.put(coding, content));
    }
    return encoded;
  }

  private static Optional<Buffer> read(String path) {
    try (InputStream in = ClientFiles.class.getClassLoader().getResourceAsStream(FOLDER + path)) {
      return in == null ? Optional.empty() : Optional.of(Buffer.buffer(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(path, e);
    }
  }

  private static String hash(Buffer content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.getBytes());
      return HexFormat.of().formatHex(digest).substring(0, HASH_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  private static void send(HttpServerRequest request, String path, Optional<File> found) {
    if (found.isEmpty()) {
      Pages.refuse(request, NOT_FOUND);
      return;
    }
    File file = found.get();
    Coding coding = coding(request.getHeader("Accept-Encoding"), file);
    String tag = '"' + file.hash + (coding == null ? "" : "-" + coding.token) + '"';
    HttpServerResponse response = request.response();
    response
        .putHeader("Access-Control-Allow-Origin", "*")
        .putHeader("Cross-Origin-Resource-Policy", "cross-origin")
        .putHeader("Cache-Control", path.startsWith("/client/") ? IMMUTABLE : REVALIDATED)
        .putHeader("ETag", tag)
        .putHeader("Vary", "Accept-Encoding");
    if (isCurrent(request.getHeader("If-None-Match"), tag)) {
      response.setStatusCode(304).end();
      return;
    }
    boolean json = path.endsWith(".json");
    response
        .putHeader("Content-Type", json ? "application/json" : "text/javascript; charset=utf-8")
        .putHeader("X-Content-Type-Options", "nosniff");
    if (coding != null) {
      response.putHeader("Content-Encoding", coding.token);
    }
    end(request, coding == null ? file.content : file.encoded.get(coding));
  }

  private static void end(HttpServerRequest request, Buffer content) {
    if (request.method() == HttpMethod.HEAD) {
      request.response().putHeader("Content-Length", String.valueOf(content.length())).end();
    } else {
      request.response().end(content);
    }
  }

  private static boolean isCurrent(String tags, String tag) {
    return tags != null && (tags.equals("*") || tags.contains(tag));
  }

  /** Returns the best coding that the client accepts, or null. */
  private static Coding coding(String accepted, File file) {
    if (accepted != null) {
      for (Coding coding : Coding.values()) {
        if (file.encoded.containsKey(coding) && accepts(accepted, coding.token)) {
          return coding;
        }
      }
    }
    return null;
  }

  private static boolean accepts(String accepted, String token) {
    for (String element : accepted.split(",")) {
      String[] parts = element.split(";", 2);
      if (parts[0].trim().equalsIgnoreCase(token)) {
        return parts.length == 1 || !parts[1].trim().matches("q=0(\\.0*)?");
      }
    }
    return false;
  }
}
