package io.sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Revocations of a real node. */
@Timeout(180)
final class RevocationIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TempDir private Path folder;
  private TestNode node;

  @BeforeEach
  void start() {
    node =
        TestNode.start(
            TestNode.config("artemis", "tcp://127.0.0.1:1")
                .with(LimitSettings.REVOCATIONS, 2)
                .with(AdminSettings.AUDIT_FILE, audit().toString()));
  }

  @AfterEach
  void stop() {
    node.close();
  }

  private Path audit() {
    return folder.resolve("audit.log");
  }

  /** Client with an open session, and its id. */
  private record Client(RawWebSocket socket, String session) {}

  private Client connect() {
    RawWebSocket socket = node.json();
    socket.text("{\"type\":\"connect\"}");
    return new Client(socket, socket.await("hello").get("session").asText());
  }

  private HttpResponse<String> send(String method, String path, String body) throws Exception {
    return admin(node, method, path, body);
  }

  private HttpResponse<String> admin(TestNode at, String method, String path, String body)
      throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + at.gateway().adminPort() + path))
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    return AdminOpenApi.checked(http.send(request, BodyHandlers.ofString()));
  }

  private HttpResponse<String> revoke(String body) throws Exception {
    return send("POST", "/revocations", body.replace('\'', '"'));
  }

  private JsonNode list(String path) throws Exception {
    return JSON.readTree(send("GET", path, "").body());
  }

  @Test
  void shouldCloseOnlyTheNamedSession() throws Exception {
    Client first = connect();
    Client second = connect();

    HttpResponse<String> answer = revoke("{'session':'" + first.session() + "'}");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("{\"closed\":1}");
    assertThat(first.socket().awaitClose()).isEqualTo(4204);
    second.socket().text("{\"type\":\"ping\",\"ref\":1}");
    second.socket().await("pong");
    assertThat(revoke("{'session':'" + first.session() + "'}").body()).isEqualTo("{\"closed\":0}");
    first.socket().close();
    second.socket().close();
  }

  @Test
  void shouldSendNothingAfterTheCloseFrame() throws Exception {
    try (TestBroker broker = TestBroker.start("classic");
        TestNode busy = TestNode.start(TestNode.config(broker.provider(), broker.url()));
        RawWebSocket client = busy.json();
        Stream stream = new Stream(broker)) {
      client.subscribe(1, "busy");
      client.await("message");
      String session =
          JSON.readTree(admin(busy, "GET", "/clients", "").body())
              .at("/clients/0/session")
              .asText();

      admin(busy, "POST", "/revocations", "{\"session\":\"" + session + "\"}");

      assertThat(client.awaitClose()).isEqualTo(4204);
      long publishedBefore = stream.count.get();
      await().until(() -> stream.count.get() > publishedBefore + 100);
      client.sendClose(1000, "");
      assertThat(client.readFrame()).isNull();
    }
  }

  /** Publishes about a thousand messages per second. */
  private static final class Stream implements AutoCloseable {
    private static final long PACE_NS = 1_000_000;

    private final AtomicLong count = new AtomicLong();
    private final TestPublisher publisher;
    private final Thread thread = new Thread(this::run, "stream");
    private volatile boolean ended;

    Stream(TestBroker broker) throws Exception {
      publisher = new TestPublisher(broker.provider(), broker.url());
      thread.start();
    }

    private void run() {
      try {
        while (!ended) {
          publisher.text("busy", "m" + count.incrementAndGet());
          LockSupport.parkNanos(PACE_NS);
        }
      } catch (JMSException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() throws JMSException {
      ended = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      publisher.close();
    }
  }

  @Test
  void shouldListAndRestoreRevocations() throws Exception {
    assertThat(revoke("{'token':'t/1+ü','expires':4000000000000}").body())
        .isEqualTo("{\"closed\":0}");
    JsonNode listed = list("/revocations");
    assertThat(listed.get("total").asInt()).isEqualTo(1);
    JsonNode only = listed.get("revocations").get(0);
    assertThat(only.get("token").asText()).isEqualTo("t/1+ü");
    assertThat(only.get("until").asLong()).isGreaterThan(only.get("since").asLong());

    assertThat(send("DELETE", "/revocations/subject/t/1+%C3%BC", "").statusCode()).isEqualTo(404);
    assertThat(send("DELETE", "/revocations/token/t/1+%C3%BC", "").statusCode()).isEqualTo(204);
    assertThat(list("/revocations").get("revocations")).isEmpty();
  }

  @Test
  void shouldRefuseMoreRevocationsThanTheLimitAndNameIt() throws Exception {
    assertThat(revoke("{'token':'t-1'}").statusCode()).isEqualTo(200);
    assertThat(revoke("{'subject':'ann'}").statusCode()).isEqualTo(200);

    HttpResponse<String> refused = revoke("{'token':'t-2'}");

    assertThat(refused.statusCode()).isEqualTo(507);
    assertThat(refused.body()).contains("at most 2 revocations");
    assertThat(list("/revocations").get("revocations")).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{} | exactly one of token, certificate, subject and session is required",
        "{'token':'a','subject':'b'} | exactly one of token, certificate, subject and session is"
            + " required",
        "{'subject':''} | subject is not a text of 1 to 1024 characters",
        "{'subject':7} | subject is not a text of 1 to 1024 characters",
        "{'token':'a','expires':1800000000} | expires has passed already: 1800000000 Unix"
            + " milliseconds are 1970-01-21T20:00:00Z",
        "{'subject':'a','expires':1} | \"expires\" is not allowed with subject",
        "{'certificate':'a:xyz'} | certificate is not a serial number in hexadecimal, such as 0A:1F"
            + " or a1f",
        "{'token':'a','expires':'soon'} | expires is not a whole number of Unix milliseconds",
        "{'token':'a','why':'x'} | \"why\" is not allowed with token",
        "{'token':'a','token':'b'} | the body is not a JSON object: Duplicate field 'token'",
        "{'token':'a','b\\r\\nc':1} | \"b??c\" is not allowed with token",
        "null | the body is not a JSON object",
        "{'token':'a'}{} | the body is not a JSON object",
        "[] | the body is not a JSON object",
        "{'token' | the body is not a JSON object: Unexpected end-of-input within/between Object"
            + " entries",
        "`` | the body is not a JSON object",
      })
  void shouldReportTheErrorOfARevocationRequest(String body, String why) throws Exception {
    HttpResponse<String> answer = revoke(body);

    assertThat(answer.body().strip()).isEqualTo(why);
    assertThat(answer.statusCode()).isEqualTo(400);
  }

  @Test
  void shouldRefuseABodyAboveTheLimit() throws Exception {
    assertThat(revoke("{'token':'" + "x".repeat(1025) + "'}").statusCode()).isEqualTo(400);
    assertThat(revoke("{'token':'" + "x".repeat(10_000) + "'}").statusCode()).isEqualTo(413);
  }

  @Test
  void shouldNormalizeSerialNumbersOfCertificates() throws Exception {
    revoke("{'certificate':'0A:1F','expires':4000000000000}");
    JsonNode only = list("/revocations").get("revocations").get(0);
    assertThat(only.get("certificate").asText()).isEqualTo("a1f");

    assertThat(send("DELETE", "/revocations/token/a1f", "").statusCode()).isEqualTo(404);
    assertThat(send("DELETE", "/revocations/certificate/z", "").statusCode()).isEqualTo(400);
    assertThat(send("DELETE", "/revocations/certificate/0a:1f", "").statusCode()).isEqualTo(204);
  }

  @Test
  void shouldRecordConnectionsAndRevocationsInTheAuditLog() throws Exception {
    Client client = connect();
    revoke("{'session':'" + client.session() + "'}");
    client.socket().awaitClose();
    client.socket().close();

    await()
        .untilAsserted(
            () ->
                assertThat(Files.readAllLines(audit()))
                    .extracting(line -> JSON.readTree(line).get("event").asText())
                    .contains("connected", "revoked", "disconnected"));
    assertThat(Files.readString(audit()))
        .contains("\"node\":\"test-node\"")
        .contains("\"session\":\"" + client.session() + "\"")
        .contains(
            "\"by\":\"127.0.0.1\",\"what\":\"session\",\"value\":\"" + client.session() + "\"");
  }
}
