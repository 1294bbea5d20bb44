package io.sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.broker.provider.QueueSession;
import io.sluice.gateway.broker.provider.SubscriptionLimits;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.TestBroker;
import jakarta.jms.Connection;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Durable subscriptions of a real broker at the admin port of a real node. */
@Timeout(180)
final class DurablePagesIT {
  private static final SubscriptionLimits LIMITS = new SubscriptionLimits(60_000, 10);
  private static final String DESK = "/durables?principal=ann%20b&topic=orders.%3E&name=desk-1";

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TempDir private Path folder;
  private TestBroker broker;
  private TestNode node;

  @AfterEach
  void stop() {
    node.close();
    broker.close();
  }

  private void start(String provider) {
    broker = TestBroker.start(provider);
    start(TestNode.config(provider, broker.url()));
  }

  private void start(Config config) {
    node = TestNode.start(config.with(AdminSettings.AUDIT_FILE, audit().toString()));
  }

  private Path audit() {
    return folder.resolve("audit.log");
  }

  /** Opens a consumer of a subscription; runs an action before it is closed. */
  private void consume(TopicSubscription subscription, Action action) throws Exception {
    Config config = TestNode.config("artemis", broker.url());
    Provider provider = ProviderOptions.of(config).newProvider();
    try (Connection connection = provider.connect(Provider.QUEUES, () -> {})) {
      connection.start();
      QueueSession session =
          provider
              .subscriptions(LIMITS)
              .open(connection, subscription, null, (message, failure) -> {}, Runnable::run);
      action.run();
      session.close(List.of());
    }
  }

  private interface Action {
    void run() throws Exception;
  }

  private HttpResponse<String> send(String method, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + node.gateway().adminPort() + path);
    HttpRequest request =
        HttpRequest.newBuilder(uri).method(method, BodyPublishers.noBody()).build();
    return AdminOpenApi.checked(http.send(request, BodyHandlers.ofString()));
  }

  private String text(String method, String path) throws Exception {
    HttpResponse<String> response = send(method, path);
    return response.statusCode() + " " + response.body().strip();
  }

  @Test
  void shouldListAndDelete() throws Exception {
    start("artemis");
    consume(
        new TopicSubscription("ann b", "orders.>", "desk-1", true),
        () -> assertThat(text("DELETE", DESK)).startsWith("409 the subscription has consumers"));
    consume(new TopicSubscription("", "orders", "desk-1", true), () -> {});

    assertThat(text("GET", "/durables?principal=ann+b"))
        .isEqualTo(
            "200 {\"subscriptions\":[{\"principal\":\"ann b\",\"topic\":\"orders.>\","
                + "\"name\":\"desk-1\",\"messages\":0,\"consumers\":0}],\"more\":false}");
    assertThat(text("GET", "/durables?max=1")).contains("\"principal\":\"\"", "\"more\":true");
    assertThat(text("GET", "/durables?principal=")).contains("\"topic\":\"orders\"");
    assertThat(text("HEAD", "/durables")).isEqualTo("200 ");

    assertThat(text("DELETE", DESK)).isEqualTo("204 ");
    assertThat(text("DELETE", DESK)).startsWith("404 there is no such durable subscription");
    assertThat(text("GET", "/durables?principal=ann+b")).contains("[]");
    await().until(() -> !commands().isEmpty());
    assertThat(commands())
        .singleElement()
        .asString()
        .contains("\"what\":\"delete-durable\",\"value\":\"ann b orders.> desk-1\"");
  }

  /** Returns the lines of commands; they are written some time after the response. */
  private List<String> commands() throws IOException {
    return Files.readAllLines(audit()).stream()
        .filter(line -> line.contains("\"commanded\""))
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /durables?max=0, 400 max is not a number from 1 to 1000",
    "GET, /durables?max=1001, 400 max is not a number from 1 to 1000",
    "GET, /durables?max=x, 400 max is not a number from 1 to 1000",
    "DELETE, /durables?topic=a&name=b, 400 the parameter principal is missing",
    "DELETE, /durables?principal=a&name=b, 400 the parameter topic is missing",
    "DELETE, /durables?principal=a&topic=b, 400 the parameter name is missing",
    "POST, /durables, 405 method POST is not allowed here; allowed: GET",
  })
  void shouldExplainInvalidRequests(String method, String path, String expected) throws Exception {
    start("classic");

    assertThat(text(method, path)).startsWith(expected);
  }

  @Test
  void shouldReportThatTheBrokerIsMissingOrDoesNotSupportIt() throws Exception {
    start("classic");
    assertThat(text("DELETE", "/durables?principal=a&topic=b&name=c")).startsWith("501 ");
    assertThat(text("DELETE", "/durables?principal=a&topic=ActiveMQ.b&name=c"))
        .startsWith("403 topic name is reserved or invalid");
    assertThat(text("GET", "/durables")).isEqualTo("200 {\"subscriptions\":[],\"more\":false}");
    broker.kill();

    assertThat(text("GET", "/durables")).startsWith("503 ");

    broker.restart();
  }
}
