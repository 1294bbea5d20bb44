package io.sluice.gateway.broker.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nats.client.Options;
import io.nats.client.Subscription;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.StreamConfiguration;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.config.NatsSettings;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.testkit.NatsServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests publishing to a real server. */
final class NatsPublisherTest {
  @TempDir Path folder;
  private NatsServer server;
  private NatsScene scene;

  @BeforeEach
  void start() throws Exception {
    Optional<String> program = NatsServer.provide();
    assumeThat(program).as("nats-server, see above").isPresent();
    server =
        NatsServer.start(
            program.get(),
            folder,
            """
            max_payload: 100000
            authorization {
              users = [
                {user: node, password: secret, permissions: {publish: {deny: ["secret.>"]}}}
                {user: other, password: other}
              ]
            }
            """);
    scene =
        new NatsScene(
            server,
            config -> config.with(NatsSettings.USER, "node").with(NatsSettings.PASSWORD, "secret"),
            new Options.Builder().userInfo("other", "other"));
    scene.awaitLive();
  }

  @AfterEach
  void stop() throws Exception {
    if (server != null) {
      scene.close();
      server.close();
    }
  }

  /** Returns the result: {@code published}, or the code of an error with its reason. */
  private String publish(Publication publication) throws Exception {
    CompletableFuture<String> result = new CompletableFuture<>();
    scene
        .source()
        .publish(
            publication,
            new PublishListener() {
              @Override
              public void onPublished() {
                result.complete("published");
              }

              @Override
              public void onRefused(ErrorCode code, String why) {
                result.complete(code.code() + ": " + why);
              }
            });
    return result.get(40, TimeUnit.SECONDS);
  }

  private static Publication text(String topic, String text, PublishHeaders headers) {
    return new Publication(
        Destination.topic(topic), PayloadKind.TEXT, text.getBytes(UTF_8), Map.of(), headers);
  }

  private String publish(String topic, PublishHeaders headers) throws Exception {
    return publish(text(topic, "a", headers));
  }

  private void createStream() throws Exception {
    scene.stream(
        StreamConfiguration.builder()
            .name("orders")
            .subjects("orders.>", "secret.stored")
            .maximumMessageSize(1_000));
    scene.opened("orders.any"); // the source reads the list of streams
  }

  @Test
  void shouldStoreMessagesWithTheirProperties() throws Exception {
    createStream();
    Map<String, Object> properties = Map.of("region", "EU", "amount", 3L, "urgent", true);
    assertThat(
            publish(
                new Publication("orders.eu", PayloadKind.TEXT, "grün".getBytes(UTF_8), properties)))
        .isEqualTo("published");

    MessageInfo stored = scene.management().getLastMessage("orders", "orders.eu");
    assertThat(new String(stored.getData(), UTF_8)).isEqualTo("grün");
    assertThat(stored.getHeaders().getFirst("region")).isEqualTo("EU");
    assertThat(stored.getHeaders().getFirst("amount")).isEqualTo("3");
    assertThat(stored.getHeaders().getFirst("urgent")).isEqualTo("true");
  }

  @Test
  void shouldStoreARepeatedPublishOnce() throws Exception {
    createStream();
    PublishHeaders headers = PublishHeaders.DEFAULT.withId("id-1");
    assertThat(publish("orders.eu", headers)).isEqualTo("published");
    assertThat(publish("orders.eu", headers)).isEqualTo("published");
    assertThat(publish("orders.eu", headers.withId("id-2"))).isEqualTo("published");

    assertThat(scene.management().getStreamInfo("orders").getStreamState().getMsgCount())
        .isEqualTo(2);
  }

  @Test
  void shouldFindTheStreamOfAPublishWithAnId() throws Exception {
    scene.stream("trades", "trades.>"); // after the source has read the list of streams
    PublishHeaders headers = PublishHeaders.DEFAULT.withId("id-1");
    assertThat(publish("trades.eu", headers)).isEqualTo("published");
  }

  @Test
  void shouldPublishToCoreSubjects() throws Exception {
    Subscription other = scene.client().subscribe("news.eu");
    scene.client().flush(Duration.ofSeconds(10));
    assertThat(publish("news.eu", PublishHeaders.DEFAULT)).isEqualTo("published");

    assertThat(other.nextMessage(Duration.ofSeconds(10)).getData()).isEqualTo(new byte[] {'a'});
  }

  @Test
  void shouldRefuseWhatNatsLacks() throws Exception {
    createStream();
    PublishHeaders plain = PublishHeaders.DEFAULT;
    PublishHeaders.Mode mode = PublishHeaders.Mode.PERSISTENT;
    List<PublishHeaders> all =
        List.of(
            new PublishHeaders(9, 0, 0, plain.mode(), null, null, null, null, null),
            new PublishHeaders(4, 1, 0, plain.mode(), null, null, null, null, null),
            new PublishHeaders(4, 0, 1, plain.mode(), null, null, null, null, null),
            new PublishHeaders(4, 0, 0, plain.mode(), "type", null, null, null, null),
            new PublishHeaders(4, 0, 0, plain.mode(), null, null, "group", null, null));
    for (PublishHeaders headers : all) {
      assertThat(publish("orders.eu", headers)).startsWith("unsupported: ");
    }
    PublishHeaders persistent = new PublishHeaders(4, 0, 0, mode, null, null, null, null, null);
    assertThat(publish("orders.eu", persistent)).isEqualTo("published");
    assertThat(publish("news.eu", persistent)).startsWith("unsupported: no stream");
    assertThat(publish("news.eu", plain.withId("x"))).startsWith("unsupported: \"id\"");
    assertThat(
            publish(
                new Publication(
                    Destination.queue("q"), PayloadKind.TEXT, new byte[0], Map.of(), plain)))
        .isEqualTo("unsupported: NATS has no queues");
    assertThat(publish(new Publication("orders.eu", PayloadKind.JSON, new byte[0], Map.of())))
        .startsWith("unsupported: ");
    Map<String, Object> umlaut = Map.of("name", "Grün");
    assertThat(publish(new Publication("orders.eu", PayloadKind.TEXT, new byte[0], umlaut)))
        .startsWith("unsupported: a property is no header");
  }

  @Test
  void shouldRefuseWhatTheServerDoesNotAccept() throws Exception {
    createStream();
    assertThat(publish(text("orders.eu", "x".repeat(2_000), PublishHeaders.DEFAULT)))
        .isEqualTo(
            "publish-failed: the stream did not accept the message: message size exceeds maximum"
                + " allowed");
    assertThat(publish(text("orders.eu", "x".repeat(100_001), PublishHeaders.DEFAULT)))
        .isEqualTo(
            "publish-failed: the message has 100001 bytes, more than max_payload of the server"
                + " (100000)");
    assertThat(publish("secret.eu", PublishHeaders.DEFAULT))
        .isEqualTo("forbidden: the server denies this topic");
    assertThat(publish("secret.stored", PublishHeaders.DEFAULT))
        .isEqualTo("forbidden: the server denies this topic");
    assertThat(publish("$JS.API.INFO", PublishHeaders.DEFAULT)).startsWith("forbidden: ");
    assertThat(publish("news.eu", PublishHeaders.DEFAULT)).isEqualTo("published");
  }

  @Test
  void shouldFindADeletedStreamUnavailableAtMost() throws Exception {
    createStream();
    scene.management().deleteStream("orders");
    assertThat(publish("orders.eu", PublishHeaders.DEFAULT))
        .isEqualTo("broker-unavailable: the stream of the topic is not available now");
  }

  @Test
  void shouldRefuseWithoutAConnection() throws Exception {
    createStream();
    server.kill();
    NatsScene.awaitEventOf(scene.events(), "lost");
    assertThat(publish("orders.eu", PublishHeaders.DEFAULT))
        .isEqualTo("broker-unavailable: the broker is not connected");

    server.restart();
    NatsScene.awaitEventOf(scene.events(), "live", 2);
    assertThat(publish("orders.eu", PublishHeaders.DEFAULT)).isEqualTo("published");
  }
}
