package io.sluice.gateway;

import static io.sluice.gateway.auth.TestKey.claims;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.sluice.gateway.auth.TestIssuer;
import io.sluice.gateway.auth.TestKey;
import io.sluice.gateway.config.ConfigFile;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jose4j.jwt.JwtClaims;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Product of open protocols and the ways in which a client loses a permission: it was never
 * granted, a reload removes it, and its subject is revoked.
 */
@Timeout(120)
final class OpenProtocolPermissionsIT {
  private static final TestKey KEY = TestKey.create("key", "ES256");
  private static final String FX = "  - {if: {team: fx}, subscribe: [fx.>], publish: [fx.>]}\n";

  /** Time that is much longer than that of a reload. */
  private static final int WILL_DELAY_S = 5;

  @TempDir private static Path folder;

  private static HttpClient http;
  private static TestBroker broker;
  private static TestIssuer issuer;
  private static TestPublisher publisher;
  private static TestNode node;

  /** Open client with a subscription. */
  private interface Subscribed extends AutoCloseable {
    /** Waits for the text of the next message. */
    String message() throws Exception;

    /** Waits until the node ends the subscription, and returns what it says about the reason. */
    String end() throws Exception;

    @Override
    void close();
  }

  private enum Protocol {
    EVENTS("403", "forbidden", "403", "revoked") {
      @Override
      Subscribed subscribe(String token, String topic) throws Exception {
        return Events.open(token, topic);
      }

      @Override
      String publish(String token, String topic) throws Exception {
        HttpRequest request =
            request(token, topic)
                .header("Content-Type", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofString("x"))
                .build();
        int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        return status / 100 == 2 ? "" : String.valueOf(status);
      }
    },
    STOMP("forbidden", "forbidden", "forbidden", "message=revoked") {
      @Override
      Subscribed subscribe(String token, String topic) {
        StompSocket client = connect(token);
        client.send("SUBSCRIBE\nid:1\nreceipt:s\ndestination:/topic/" + topic + "\n\n");
        StompSocket.Frame answer = client.next();
        if (answer.command().equals("ERROR")) {
          client.close();
          throw new Refused(answer.toString());
        }
        return new StompClient(client);
      }

      @Override
      String publish(String token, String topic) {
        try (StompSocket client = connect(token)) {
          client.send("SEND\nreceipt:p\ndestination:/topic/" + topic + "\n\nx");
          StompSocket.Frame answer = client.next();
          return answer.command().equals("ERROR") ? answer.toString() : "";
        }
      }

      private StompSocket connect(String token) {
        return StompSocket.open(node, "1.2", "passcode:" + token + "\n");
      }
    },
    MQTT_3("128", "1000", "closed", "4204") {
      @Override
      Subscribed subscribe(String token, String topic) {
        return MqttClient.subscribe(false, token, topic);
      }

      @Override
      String publish(String token, String topic) {
        try (MqttTestClient client = MqttClient.connect(false, token)) {
          client.publish(topic.replace('.', '/'), "x", 1, false, 7, MqttProperties.NO_PROPERTIES);
          return isAcknowledged(client) ? "" : "closed";
        }
      }
    },
    MQTT_5("135", "135", "135", "135") {
      @Override
      Subscribed subscribe(String token, String topic) {
        return MqttClient.subscribe(true, token, topic);
      }

      @Override
      String publish(String token, String topic) {
        try (MqttTestClient client = MqttClient.connect(true, token)) {
          client.publish(topic.replace('.', '/'), "x", 1, false, 7, MqttProperties.NO_PROPERTIES);
          MqttMessage answer = client.read();
          int reason =
              ((MqttPubReplyMessageVariableHeader) answer.variableHeader()).reasonCode() & 0xFF;
          return reason == 0 ? "" : String.valueOf(reason);
        }
      }
    };

    final String refusal;
    final String withdrawal;
    final String publishRefusal;
    final String revocation;

    Protocol(String refusal, String withdrawal, String publishRefusal, String revocation) {
      this.refusal = refusal;
      this.withdrawal = withdrawal;
      this.publishRefusal = publishRefusal;
      this.revocation = revocation;
    }

    /** Subscribes; throws {@link Refused} with the node's reason. */
    abstract Subscribed subscribe(String token, String topic) throws Exception;

    /** Publishes, and returns why it was refused, otherwise an empty text. */
    abstract String publish(String token, String topic) throws Exception;
  }

  private static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    Refused(String reason) {
      super(reason);
    }
  }

  private record Events(HttpResponse<InputStream> response, BufferedReader in)
      implements Subscribed {
    static Events open(String token, String topic) throws Exception {
      HttpResponse<InputStream> response =
          http.send(
              request(token, topic).header("Accept", "text/event-stream").build(),
              HttpResponse.BodyHandlers.ofInputStream());
      if (response.statusCode() != 200) {
        throw new Refused(String.valueOf(response.statusCode()));
      }
      return new Events(
          response, new BufferedReader(new InputStreamReader(response.body(), "UTF-8")));
    }

    @Override
    public String message() throws IOException {
      return data(in.readLine());
    }

    private String data(String from) throws IOException {
      for (String line = from; line != null; line = in.readLine()) {
        if (line.startsWith("data:")) {
          return line.substring(line.startsWith("data: ") ? 6 : 5);
        }
      }
      throw new AssertionError("the stream has ended");
    }

    @Override
    public String end() throws IOException {
      StringBuilder rest = new StringBuilder();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        rest.append(line);
      }
      return rest.toString();
    }

    @Override
    public void close() {
      try {
        in.close();
      } catch (IOException e) {
        // the node has closed it
      }
    }
  }

  private record StompClient(StompSocket client) implements Subscribed {
    @Override
    public String message() {
      return client.await("MESSAGE").body();
    }

    @Override
    public String end() {
      StompSocket.Frame last = client.next();
      while (!last.command().equals("ERROR")) {
        last = client.next();
      }
      client.socket().awaitClose();
      return last.toString();
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private record MqttClient(MqttTestClient client, boolean v5) implements Subscribed {
    static MqttTestClient connect(boolean v5, String token) {
      MqttTestClient client = MqttTestClient.open(node.request(), v5);
      client.connect(
          each ->
              each.clientId("")
                  .cleanSession(true)
                  .username("")
                  .password(token.getBytes(StandardCharsets.UTF_8)));
      return client;
    }

    static Subscribed subscribe(boolean v5, String token, String topic) {
      MqttTestClient client = connect(v5, token);
      int reason = client.subscribe(0, topic.replace('.', '/')).get(0);
      if (reason > 2) {
        client.close();
        throw new Refused(String.valueOf(reason & 0xFF));
      }
      return new MqttClient(client, v5);
    }

    @Override
    public String message() {
      return client.message().payload();
    }

    @Override
    public String end() {
      if (!v5) {
        return String.valueOf(client.closed());
      }
      StringBuilder before = new StringBuilder();
      MqttMessage next = client.read();
      for (; next instanceof MqttPublishMessage message; next = client.read()) {
        before.append(message.payload().toString(StandardCharsets.UTF_8)).append(' ');
        message.release();
      }
      int reason = ((MqttReasonCodeAndPropertiesVariableHeader) next.variableHeader()).reasonCode();
      return before.append(reason & 0xFF).toString();
    }

    @Override
    public void close() {
      client.close();
    }
  }

  private static boolean isAcknowledged(MqttTestClient client) {
    try {
      return client.read().fixedHeader().messageType() == MqttMessageType.PUBACK;
    } catch (AssertionError closed) {
      return false;
    }
  }

  private static HttpRequest.Builder request(String token, String topic) {
    String url = "http://127.0.0.1:" + node.gateway().port() + "/topics/" + topic;
    return HttpRequest.newBuilder(URI.create(url)).header("Authorization", "Bearer " + token);
  }

  @BeforeAll
  static void start() throws Exception {
    http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    broker = ArtemisProcess.start();
    issuer = TestIssuer.start();
    issuer.publish(KEY);
    publisher = new TestPublisher(broker.provider(), broker.url());
    write(FX);
    node = TestNode.start(ConfigFile.read(file(), name -> null).config());
    node.gateway().reloadFrom(() -> ConfigFile.read(file(), name -> null), any -> {});
    node.awaitReady();
  }

  @AfterAll
  static void stop() throws Exception {
    node.close();
    publisher.close();
    issuer.close();
    broker.close();
  }

  @BeforeEach
  void grantAll() throws Exception {
    reload(FX);
  }

  private static Path file() {
    return folder.resolve("sluice.yaml");
  }

  private static void write(String rules) throws IOException {
    Files.writeString(
        file(),
        """
        admin.port: 0
        server: {host: 127.0.0.1, port: 0}
        auth.jwt.jwks-url: %s
        broker: {url: "%s", linger: 1m}
        publish.topics: ['>']
        permissions.rules:
          - {subscribe: [open.>], publish: [open.>]}
          - {if: {team: ops}, subscribe: ['>']}
        %s
        """
            .formatted(issuer.jwksUrl(), broker.url(), rules));
  }

  private static void reload(String rules) throws IOException {
    write(rules);
    assertThat(node.command("/reload").statusCode()).isEqualTo(200);
  }

  private static String token(String subject, String team) {
    JwtClaims claims = claims();
    claims.setSubject(subject);
    claims.setClaim("team", team);
    return KEY.sign(claims);
  }

  private static String reason(Protocol protocol, String token, String topic) throws Exception {
    try {
      protocol.subscribe(token, topic).close();
      return "";
    } catch (Refused refused) {
      return refused.getMessage();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseWhatIsNotGranted(Protocol protocol) throws Exception {
    String bob = token("bob", "sales");
    assertThat(reason(protocol, bob, "fx.a")).contains(protocol.refusal);
    assertThat(protocol.publish(bob, "fx.a")).contains(protocol.publishRefusal);
    assertThat(reason(protocol, bob, "open.a")).isEmpty();
    assertThat(protocol.publish(bob, "open.a")).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void shouldWithdrawWhatAReloadRemoves(Protocol protocol) throws Exception {
    String alice = token("alice", "fx");
    String topic = "fx." + protocol;
    try (Subscribed client = protocol.subscribe(alice, topic);
        Subscribed other = protocol.subscribe(alice, "open." + protocol)) {
      publisher.text(topic, "granted");
      assertThat(client.message()).contains("granted");
      assertThat(protocol.publish(alice, topic)).isEmpty();
      reload("");
      publisher.text(topic, "withdrawn");
      assertThat(client.end()).contains(protocol.withdrawal).doesNotContain("withdrawn");
      publisher.text("open." + protocol, "still granted");
      assertThat(other.message()).contains("still granted");
    }
    assertThat(protocol.publish(alice, topic)).contains(protocol.publishRefusal);
    assertThat(reason(protocol, alice, topic)).contains(protocol.refusal);
  }

  @ParameterizedTest
  @EnumSource
  void shouldEndTheClientsOfARevokedSubject(Protocol protocol) throws Exception {
    String subject = "carol-" + protocol;
    try (Subscribed client = protocol.subscribe(token(subject, "fx"), "fx.revoked");
        Subscribed other = protocol.subscribe(token("dave", "fx"), "fx.revoked")) {
      node.revoke("subject", subject);
      publisher.text("fx.revoked", "to others");
      assertThat(client.end()).contains(protocol.revocation).doesNotContain("to others");
      assertThat(other.message()).contains("to others");
    }
  }

  @Test
  void shouldEndALongPollWithoutTheMessage() throws Exception {
    String poller = token("poller", "fx");
    HttpRequest now = request(poller, "fx.poll?offset=now").build();
    HttpResponse<String> first = http.send(now, HttpResponse.BodyHandlers.ofString());
    String next = first.headers().firstValue("Stream-Next-Offset").orElseThrow();
    CompletableFuture<HttpResponse<String>> poll =
        http.sendAsync(
            request(poller, "fx.poll?live=long-poll&offset=" + next).build(),
            HttpResponse.BodyHandlers.ofString());
    await().until(() -> isConnected("poller"));
    reload("");
    publisher.text("fx.poll", "withdrawn");
    HttpResponse<String> answer = poll.get(60, TimeUnit.SECONDS);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(403);
    assertThat(answer.body()).doesNotContain("withdrawn");
  }

  /** The permission is lost while the client is connected, or in the delay of its will. */
  @ParameterizedTest
  @CsvSource({"reload,false", "reload,true", "revocation,false", "revocation,true"})
  void shouldPublishNoWillWithoutPermission(String how, boolean delayed) throws Exception {
    String subject = "erin-" + how + delayed;
    try (RawWebSocket watcher = node.json()) {
      watcher.text("{\"type\":\"connect\",\"token\":\"" + token("watcher", "ops") + "\"}");
      watcher.text("{\"type\":\"subscribe\",\"topic\":\">\"}");
      watcher.await("subscribed");
      try (MqttTestClient client = openWithWill(subject, "fx/will", delayed);
          MqttTestClient other = openWithWill("frank", "open/will", delayed)) {
        if (delayed) {
          client.reset();
          await().until(() -> !isConnected(subject));
        }
        lose(how, subject);
        if (!delayed) {
          client.reset();
          await().until(() -> !isConnected(subject));
        }
        other.reset();
      }
      JsonNode first = watcher.await("message");
      assertThat(first.get("topic").asText()).isEqualTo("open.will");
    }
  }

  private static MqttTestClient openWithWill(String subject, String topic, boolean delayed) {
    MqttProperties expiry = new MqttProperties();
    expiry.add(new IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL, 60));
    MqttProperties delay = new MqttProperties();
    delay.add(new IntegerProperty(MqttProperties.WILL_DELAY_INTERVAL, delayed ? WILL_DELAY_S : 0));
    MqttTestClient client = MqttTestClient.open(node.request(), true);
    client.connect(
        each ->
            each.clientId("")
                .cleanSession(true)
                .username("")
                .password(token(subject, "fx").getBytes(StandardCharsets.UTF_8))
                .properties(expiry)
                .willFlag(true)
                .willTopic(topic)
                .willMessage("x".getBytes(StandardCharsets.UTF_8))
                .willProperties(delay));
    return client;
  }

  private static void lose(String how, String subject) throws IOException {
    if (how.equals("reload")) {
      reload("");
    } else {
      node.revoke("subject", subject);
    }
  }

  private static boolean isConnected(String subject) {
    return node.admin("/clients?search=" + subject)
        .body()
        .contains("\"subject\":\"" + subject + "\"");
  }
}
