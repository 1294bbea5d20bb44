package io.sluice.gateway;

import static org.awaitility.Awaitility.await;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.Setting;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.http.ClientPorts;
import io.sluice.gateway.http.Pages;
import io.sluice.gateway.node.StartFailure;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.RawWebSocket;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** A real node on free ports, for tests. */
public final class TestNode implements AutoCloseable {
  private static final Duration READY = Duration.ofSeconds(60);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Gateway gateway;
  private final String operator;

  private TestNode(Gateway gateway, String operator) {
    this.gateway = gateway;
    this.operator = operator;
  }

  /**
   * Returns a configuration with free ports and short reconnect delays. All origins may connect,
   * and all topics may be published to. Timeouts tolerate slow machines and tests that pause
   * reading.
   */
  public static Config config(String provider, String brokerUrl) {
    return Config.defaults()
        .with(AdminSettings.NODE_NAME, "test-node")
        .with(ServerSettings.HOST, "127.0.0.1")
        .with(ServerSettings.PORT, 0)
        .with(AdminSettings.PORT, 0)
        .with(AdminSettings.READY_WITHOUT_BROKER, "never")
        .with(AuthSettings.ANONYMOUS, true)
        .with(ServerSettings.ALLOWED_ORIGINS, List.of("*"))
        .with(TopicSettings.PUBLISH_TOPICS, List.of(">"))
        .with(BrokerSettings.PROVIDER, provider)
        .with(BrokerSettings.URL, brokerUrl)
        .with(BrokerSettings.LINGER, Duration.ofMillis(100))
        .with(BrokerSettings.RECONNECT_MAX, Duration.ofMillis(500))
        .with(TimeoutSettings.HANDSHAKE, Duration.ofMinutes(2))
        .with(TimeoutSettings.IDLE, Duration.ofHours(1));
  }

  /** The same without limits of addresses and principals, for many clients on one machine. */
  public static Config unlimited(Config config) {
    return config
        .with(LimitSettings.ADDRESS_CONNECTIONS, 0)
        .with(LimitSettings.ADDRESS_HANDSHAKE_RATE, 0)
        .with(LimitSettings.ADDRESS_SUBSCRIPTIONS, 0)
        .with(LimitSettings.ADDRESS_TOPICS, 0)
        .with(LimitSettings.ADDRESS_PUBLISH_RATE, 0)
        .with(LimitSettings.PRINCIPAL_CONNECTIONS, 0)
        .with(LimitSettings.PRINCIPAL_HANDSHAKE_RATE, 0)
        .with(LimitSettings.PRINCIPAL_SUBSCRIPTIONS, 0)
        .with(LimitSettings.PRINCIPAL_TOPICS, 0)
        .with(LimitSettings.PRINCIPAL_PUBLISH_RATE, 0);
  }

  public static TestNode start(Config config) {
    return start(config, Pages.none());
  }

  /** A node that also serves the pages of the demo. */
  public static TestNode startWithPages(Config config) {
    return start(config, Pages.demo());
  }

  private static TestNode start(Config config, Pages pages) {
    try {
      return new TestNode(Gateway.start(config, pages), config.get(AdminSettings.TOKEN));
    } catch (StartFailure e) {
      throw new AssertionError(e);
    }
  }

  public static <T> TestNode start(Config config, Setting<T> setting, T value) {
    return start(config.with(setting, value));
  }

  public Gateway gateway() {
    return gateway;
  }

  /** Returns the client ports, which redirect clients. */
  public ClientPorts clients() {
    return gateway.clients();
  }

  /** A client of the JSON encoding. */
  public RawWebSocket json() {
    return request().subprotocols(Encoding.JSON_SUBPROTOCOL).open();
  }

  /** A client of the binary encoding. */
  public RawWebSocket binary() {
    return request().subprotocols(Encoding.BINARY_SUBPROTOCOL).open();
  }

  public RawWebSocket.Request request() {
    return RawWebSocket.to("127.0.0.1", gateway.port(), "/ws");
  }

  /** A request for a stream of the JSON encoding that says these frames. */
  public RawWebSocket.Request stream(String... frames) {
    return request().post("", lines(frames));
  }

  /** A request for a stream of the binary encoding. */
  public RawWebSocket.Request binaryStream(String... frames) {
    return request().post("?protocol=" + Encoding.BINARY_SUBPROTOCOL, lines(frames));
  }

  private static byte[] lines(String... frames) {
    return String.join("\n", frames).getBytes(StandardCharsets.UTF_8);
  }

  /** The same node, as an operator with this token commands it. */
  public TestNode operator(String token) {
    return new TestNode(gateway, token);
  }

  /** Waits until it takes clients and has its broker. */
  public void awaitReady() {
    await().atMost(READY).until(() -> admin("/health/ready").statusCode() == 200);
  }

  /** The answer of the admin port. */
  public HttpResponse<String> admin(String path) {
    return send(adminRequest(path).build());
  }

  /** Withdraws a token, certificate, subject or session, and returns the answer. */
  public String revoke(String kind, String value) {
    return post("/revocations", "{\"" + kind + "\":\"" + value + "\"}").body();
  }

  /** Takes a revocation back, and returns the answer's status. */
  public int restore(String kind, String value) {
    return send(adminRequest("/revocations/" + kind + "/" + value).DELETE().build()).statusCode();
  }

  /** Has the node do something that needs no more words. */
  public HttpResponse<String> command(String path) {
    return post(path, "{}");
  }

  /** The answer to a command with a body. */
  public HttpResponse<String> post(String path, String body) {
    return send(
        adminRequest(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build());
  }

  private HttpRequest.Builder adminRequest(String path) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.adminPort() + path));
    return operator.isEmpty() ? request : request.header("Authorization", "Bearer " + operator);
  }

  private static HttpResponse<String> send(HttpRequest request) {
    try {
      return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /**
   * The value of one sample of the metrics, such as {@code sluice_connections}, or the sum of those
   * with any labels; 0 if absent.
   */
  public double metric(String sample) {
    return admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(sample + " ") || line.startsWith(sample + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** All metrics as OpenMetrics. */
  public String openMetrics() {
    return send(adminRequest("/metrics").header("Accept", "application/openmetrics-text").build())
        .body();
  }

  @Override
  public void close() {
    gateway.close();
  }
}
