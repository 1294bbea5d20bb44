package io.sluice.gateway.broker.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.sluice.gateway.protocol.value.JsonText;
import io.sluice.testkit.Loopback;
import io.sluice.testkit.TestAuthority;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** HTTP server with the documented responses of a schema registry. For any thread. */
final class RegistryServer implements AutoCloseable {
  private static final String ABSENT = "{\"error_code\":40403,\"message\":\"Schema not found\"}";

  private final HttpServer server;
  private final String scheme;
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final Map<String, String> bodies = new ConcurrentHashMap<>();

  /** Paths of requests, in order. */
  final List<String> requests = new CopyOnWriteArrayList<>();

  /** Values of the header Authorization, in order. */
  final List<String> credentials = new CopyOnWriteArrayList<>();

  /** Paths that exist only for requests with {@code deleted=true}. */
  final Set<String> deleted = ConcurrentHashMap.newKeySet();

  /** Value of the header Retry-After; empty for none. */
  volatile String retryAfter = "";

  /** Status of all responses; 0 for those of a registry, -1 for no response. */
  volatile int status;

  RegistryServer() throws IOException {
    this(HttpServer.create(), "http", Loopback.address());
  }

  private RegistryServer(HttpServer server, String scheme, String host) throws IOException {
    this.server = server;
    this.scheme = scheme;
    server.bind(new InetSocketAddress(host, 0), 0);
    server.setExecutor(executor);
    server.createContext("/", this::respond);
    server.start();
  }

  /** Starts a server with a certificate of an authority. */
  static RegistryServer secured(TestAuthority authority) throws IOException {
    String host = Loopback.address();
    HttpsServer server = HttpsServer.create();
    server.setHttpsConfigurator(
        new HttpsConfigurator(authority.issue("server", "CN=server", "SAN=ip:" + host).context()));
    return new RegistryServer(server, "https", host);
  }

  String url() {
    return scheme
        + "://"
        + server.getAddress().getHostString()
        + ':'
        + server.getAddress().getPort();
  }

  /** Adds a schema. */
  void add(int id, String type, String schema, String references) {
    body("/schemas/ids/" + id, content(type, schema, references) + '}');
  }

  /** Adds a version of a subject. */
  void add(String subject, Object version, int id, String type, String schema) {
    body(
        "/subjects/" + subject + "/versions/" + version,
        content(type, schema, "[]") + ",\"id\":" + id + '}');
  }

  private static String content(String type, String schema, String references) {
    String known = type.equals("AVRO") ? "" : "\"schemaType\":\"" + type + "\",";
    return '{' + known + "\"references\":" + references + ",\"schema\":" + JsonText.quoted(schema);
  }

  /** Sets the response to a path. */
  void body(String path, String body) {
    bodies.put(path, body);
  }

  private void respond(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getRawPath();
    credentials.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
    requests.add(path);
    boolean hidden =
        deleted.contains(path) && !"deleted=true".equals(exchange.getRequestURI().getQuery());
    String body = hidden ? null : bodies.get(path);
    int code = status == 0 ? body == null ? 404 : 200 : status;
    if (!retryAfter.isEmpty()) {
      exchange.getResponseHeaders().add("Retry-After", retryAfter);
    }
    if (code > 0) {
      byte[] bytes = (body == null ? ABSENT : body).getBytes(UTF_8);
      exchange.sendResponseHeaders(code, bytes.length);
      exchange.getResponseBody().write(bytes);
      exchange.close();
    }
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
