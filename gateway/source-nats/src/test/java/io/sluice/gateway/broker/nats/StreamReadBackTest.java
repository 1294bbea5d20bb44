package io.sluice.gateway.broker.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nats.client.PurgeOptions;
import io.nats.client.api.StreamConfiguration;
import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.testkit.NatsServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests read-back against a real server. */
final class StreamReadBackTest {
  private static final int MAX_MESSAGES = 1_000;
  private static final long MAX_BYTES = 100_000;
  private static final String REMOVED = "the stream may have removed some of the messages";

  @TempDir Path folder;
  private NatsServer server;
  private NatsScene scene;
  private int stream;

  @BeforeEach
  void start() throws Exception {
    Optional<String> program = NatsServer.provide();
    assumeThat(program).as("nats-server, see above").isPresent();
    server = NatsServer.start(program.get(), folder);
    scene = new NatsScene(server);
    scene.awaitLive();
  }

  @AfterEach
  void stop() throws Exception {
    if (server != null) {
      scene.close();
      server.close();
    }
  }

  private void create(StreamConfiguration.Builder configuration) throws Exception {
    stream = SubjectStream.of(scene.management().addStream(configuration.build())).number();
  }

  private void create() throws Exception {
    create(StreamConfiguration.builder().name("orders").subjects("orders.>"));
  }

  /** Returns the texts of the messages, or the reason for which there are none. */
  private List<String> read(String pattern, long after, long upTo) throws Exception {
    CompletableFuture<List<String>> answer = new CompletableFuture<>();
    scene
        .source()
        .readBack(
            new ReadBack(
                InterestKey.of(pattern),
                place(after),
                place(upTo),
                MAX_MESSAGES,
                MAX_BYTES,
                (messages, why) ->
                    answer.complete(
                        messages == null
                            ? List.of(why)
                            : messages.stream()
                                .map(each -> new String(each.payload(), UTF_8))
                                .toList())));
    return answer.get(40, TimeUnit.SECONDS);
  }

  private StreamPlace place(long sequence) {
    return new StreamPlace(
        stream, sequence == 0 ? new long[0] : new long[] {StreamPlace.id(0, sequence)});
  }

  @Test
  void shouldReturnExactlyTheMessagesBetweenTwoPlaces() throws Exception {
    create();
    scene.store("orders.a", "1", "2");
    scene.store("orders.b", "3");
    scene.store("orders.a", "4", "5");

    assertThat(read("orders.a", 0, 5)).containsExactly("1", "2", "4", "5");
    assertThat(read("orders.a", 1, 4)).containsExactly("2", "4");
    assertThat(read("orders.>", 2, 4)).containsExactly("3", "4");
    assertThat(read("orders.a", 2, 3)).isEmpty();
    assertThat(read("orders.a", 5, 5)).isEmpty();
    assertThat(read("orders.c", 0, 5)).isEmpty();
  }

  @Test
  void shouldReturnAsManyAsAllowed() throws Exception {
    create();
    IntStream.rangeClosed(1, MAX_MESSAGES + 1).forEach(i -> storeUnchecked("orders.a", "" + i));

    assertThat(read("orders.a", 1, MAX_MESSAGES + 1)).hasSize(MAX_MESSAGES).endsWith("1001");
    assertThat(read("orders.a", 0, MAX_MESSAGES + 1))
        .containsExactly("there are too many messages behind the position");
  }

  private void storeUnchecked(String subject, String text) {
    scene.client().publish(subject, text.getBytes(UTF_8));
  }

  @Test
  void shouldRefuseTooManyBytes() throws Exception {
    create();
    scene.store("orders.a", "x".repeat(60_000), "y".repeat(60_000));

    assertThat(read("orders.a", 0, 2))
        .containsExactly("there are too many messages behind the position");
  }

  @Test
  void shouldRefusePlacesBeyondTheRetention() throws Exception {
    create(StreamConfiguration.builder().name("orders").subjects("orders.>").maxMessages(3));
    scene.store("orders.a", "1", "2", "3", "4", "5");

    assertThat(read("orders.a", 2, 5)).containsExactly("3", "4", "5");
    assertThat(read("orders.a", 1, 5)).containsExactly(REMOVED);
    assertThat(read("orders.>", 1, 5)).containsExactly(REMOVED);
  }

  @Test
  void shouldRefuseARangeWithRemovedMessages() throws Exception {
    create();
    scene.store("orders.a", "1", "2", "3");
    scene.store("orders.b", "4");
    scene.management().deleteMessage("orders", 2);

    assertThat(read("orders.>", 0, 4)).containsExactly(REMOVED);
    assertThat(read("orders.>", 2, 4)).containsExactly("3", "4");
  }

  @Test
  void shouldTrustAnOlderMessageOfTheSameSubject() throws Exception {
    create(
        StreamConfiguration.builder().name("orders").subjects("orders.>").maxMessagesPerSubject(2));
    scene.store("orders.a", "1");
    scene.store("orders.b", "2", "3", "4");
    scene.store("orders.a", "5");
    scene.management().purgeStream("orders", PurgeOptions.subject("orders.c"));

    assertThat(read("orders.a", 1, 5)).containsExactly("5");
    assertThat(read("orders.b", 1, 5)).containsExactly(REMOVED);
  }

  @Test
  void shouldRefuseAnotherStream() throws Exception {
    create();
    scene.store("orders.a", "1");
    stream++;

    assertThat(read("orders.a", 0, 1)).containsExactly("the stream is not the one of the position");
    assertThat(read("news", 0, 1)).containsExactly("the stream is not the one of the position");
  }

  @Test
  void shouldRefuseWithoutAConnection() throws Exception {
    create();
    server.kill();
    NatsScene.awaitEventOf(scene.events(), "lost");

    assertThat(read("orders.a", 0, 1)).containsExactly("the source is not connected");
  }
}
