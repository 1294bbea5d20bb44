package io.sluice.gateway.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;

/** Issuer of tokens on a free loopback port, with configurable responses. */
public final class TestIssuer implements AutoCloseable {
  private final HttpServer server;
  private final String scheme;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile int status = 200;
  private volatile String jwks = "{\"keys\":[]}";
  private volatile String discovery;
  private volatile UnaryOperator<String> introspection = request -> "{\"active\":false}";
  private volatile String location;
  private volatile CountDownLatch gate = new CountDownLatch(0);
  private volatile long introspectionMs;

  private TestIssuer(HttpServer server, String scheme) {
    this.server = server;
    this.scheme = scheme;
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  public static TestIssuer start() {
    try {
      return new TestIssuer(HttpServer.create(anyPort(), 0), "http");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  static TestIssuer start(SSLContext identity) throws IOException {
    HttpsServer server = HttpsServer.create(anyPort(), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(identity));
    return new TestIssuer(server, "https");
  }

  private static InetSocketAddress anyPort() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  public String url() {
    return scheme + "://127.0.0.1:" + server.getAddress().getPort();
  }

  public String jwksUrl() {
    return url() + "/jwks";
  }

  public String introspectionUrl() {
    return url() + "/introspect";
  }

  /** Sets the published keys. */
  public void publish(TestKey... keys) {
    jwks = TestKey.jwks(keys);
  }

  void publish(String text) {
    jwks = text;
  }

  /** Sets the discovery document; the default one has no endpoints of a login. */
  public void discovery(String text) {
    discovery = text;
  }

  /** Sets the introspection response for all tokens. */
  public void introspection(String text) {
    introspection = request -> text;
  }

  /** Sets the introspection response by the body of the request. */
  public void introspection(UnaryOperator<String> response) {
    introspection = response;
  }

  /** Sets the status of all responses. */
  public void status(int code) {
    status = code;
  }

  void redirect(String to) {
    location = to;
    status = 302;
  }

  /** Delays all responses until the latch is open. */
  public void hold(CountDownLatch until) {
    gate = until;
  }

  /** Delays the responses to introspection. */
  public void introspectionTakes(long ms) {
    introspectionMs = ms;
  }

  /** Returns path and body of all requests in order. */
  public List<String> requests() {
    return requests;
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    requests.add(path + (authorization == null ? "" : " " + authorization + " " + body));
    try {
      gate.await();
      if (introspectionMs > 0 && path.equals("/introspect")) {
        new CountDownLatch(1).await(introspectionMs, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException closed) {
      exchange.close();
      return;
    }
    if (location != null) {
      exchange.getResponseHeaders().set("Location", location);
    }
    byte[] answer = content(path, body).getBytes(UTF_8);
    exchange.sendResponseHeaders(status, answer.length);
    exchange.getResponseBody().write(answer);
    exchange.close();
  }

  private String content(String path, String body) {
    return switch (path) {
      case "/jwks" -> jwks;
      case "/introspect" -> introspection.apply(body);
      default ->
          discovery == null
              ? "{\"issuer\":\"" + url() + "\",\"jwks_uri\":\"" + jwksUrl() + "\"}"
              : discovery;
    };
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
