package io.sluice.gateway.broker.nats;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.nats.client.Connection;
import io.nats.client.Nats;
import io.nats.client.PurgeOptions;
import io.nats.client.api.StreamConfiguration;
import io.nats.client.impl.Headers;
import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.testkit.NatsServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests read-back against a real server. */
final class StreamReadBackTest {
  private static final int MAX_MESSAGES = 1_000;
  private static final long MAX_BYTES = 100_000;
  private static final long LIMIT = 80_000;
  private static final String NOT_FORWARDED = "a message is not forwarded: ";
  private static final String REMOVED = "the stream may have removed some of the messages";

  @TempDir Path folder;
  @TempDir Path earlier;
  private NatsServer server;
  private NatsScene scene;
  private int stream;
  private long rate = 1 << 30;

  @BeforeEach
  void start() throws Exception {
    Optional<String> program = NatsServer.provide();
    assumeThat(program).as("nats-server, see above").isPresent();
    server = NatsServer.start(program.get(), folder);
    scene =
        new NatsScene(
            server,
            config ->
                config
                    .with(LimitSettings.BROKER_MESSAGE_BYTES, LIMIT)
                    .with(BrokerSettings.FORWARD_PROPERTIES, List.of("kind")));
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
    return read(InterestKey.of(pattern), after, upTo);
  }

  private List<String> read(InterestKey key, long after, long upTo) throws Exception {
    return read(key, place(after), Set.of(), place(upTo));
  }

  private List<String> read(InterestKey key, StreamPlace after, Set<Long> claimed, StreamPlace upTo)
      throws Exception {
    CompletableFuture<List<String>> answer = new CompletableFuture<>();
    scene
        .source()
        .readBack(
            new ReadBack(
                key,
                after,
                claimed,
                upTo,
                MAX_MESSAGES,
                MAX_BYTES,
                rate,
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

  /** The server is restored from its files of an earlier time. */
  @Test
  void shouldRefutePositionsWhoseSequencesHaveOtherMessages() throws Exception {
    create();
    scene.store("orders.a", "1", "2");
    NatsEvents.Topic topic = scene.opened("orders.a");
    server.kill();
    copy(folder, earlier);
    server.restart();
    scene.store("orders.a", "3", "4", "5");
    NatsScene.awaitEvent(topic, "5");
    List<Long> lost = topic.messages().stream().map(Message::identity).toList();
    server.kill();
    copy(earlier, folder);
    server.restartElsewhere();
    Connection other = Nats.connect(server.url());
    for (String text : List.of("other 3", "other 4", "other 5", "other 6")) {
      other.jetStream().publish("orders.a", text.getBytes(UTF_8));
    }
    other.close();
    server.kill();
    server.restart();

    NatsScene.awaitEvent(topic, "stream at 6");
    assertThat(topic.events()).startsWith("stream at 2", "active", "3", "4", "5", "stream at 6");
    for (long id : lost) {
      assertThat(read(id)).containsExactly(ReadBack.REFUTED);
    }
    assertThat(read(stored(2))).containsExactly("other 3", "other 4", "other 5", "other 6");
    assertThat(read(stored(5))).containsExactly("other 6");
    assertThat(read(StreamPlace.id(0, 7))).containsExactly(ReadBack.REFUTED);
    scene.management().deleteMessage("orders", 4);
    assertThat(read(lost.get(1))).as("without the message").containsExactly(ReadBack.REFUTED);
  }

  private static void copy(Path from, Path to) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(to)) {
      files = all.sorted(Comparator.reverseOrder()).filter(each -> !each.equals(to)).toList();
    }
    for (Path each : files) {
      Files.delete(each);
    }
    try (Stream<Path> all = Files.walk(from)) {
      files = all.filter(each -> !each.equals(from)).toList();
    }
    for (Path each : files) {
      Files.copy(each, to.resolve(from.relativize(each).toString()));
    }
  }

  /** Returns the identity of a message that the server has. */
  private long stored(long sequence) throws Exception {
    return StoredMessages.id(
        sequence, StoredMessages.ms(scene.management().getMessage("orders", sequence).getTime()));
  }

  /** Returns the messages behind one that a client has received. */
  private List<String> read(long claimed) throws Exception {
    StreamPlace after = new StreamPlace(stream, new long[] {claimed});
    return read(InterestKey.of("orders.a"), after, Set.of(claimed), place(6));
  }

  @Test
  void shouldReadAtTheConfiguredRate() throws Exception {
    create();
    String text = "x".repeat(10_000);
    scene.store("orders.a", text, text, text, text, text);
    rate = 100_000;
    long beginNs = System.nanoTime();
    assertThat(read("orders.a", 0, 5)).hasSize(5);
    assertThat(System.nanoTime() - beginNs).isGreaterThanOrEqualTo(490_000_000);
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
  void shouldRefuseARangeWithAMessageThatIsNotForwarded() throws Exception {
    create();
    Headers headers = new Headers().add("kind", "\"".repeat(40_000)); // escaped, it is too long
    scene.store("orders.a/b", "slash");
    scene.store("orders.a", "x".repeat((int) LIMIT + 1));
    scene.client().publish("orders.a", headers, new byte[1]);
    scene.store("orders.b", "last");

    assertThat(read("orders.>", 0, 1)).containsExactly(NOT_FORWARDED + "unsupported");
    assertThat(read("orders.>", 1, 2)).containsExactly(NOT_FORWARDED + "too-large");
    assertThat(read("orders.>", 2, 3)).containsExactly(NOT_FORWARDED + "too-large");
    assertThat(read("orders.a", 2, 3)).containsExactly(NOT_FORWARDED + "too-large");
    assertThat(read("orders.b", 0, 4)).containsExactly("last");
  }

  @Test
  void shouldReturnSelectedMessages() throws Exception {
    create();
    scene.store("orders.a/b", "slash");
    scene.store("orders.a", "1");
    scene.client().publish("orders.a", new Headers().add("kind", "k"), "2".getBytes(UTF_8));
    scene.store("orders.a", "3");

    assertThat(read(new InterestKey("orders.>", "kind = 'k'"), 0, 4)).containsExactly("2");
    assertThat(read(new InterestKey("orders.>", "kind IS NULL"), 0, 4))
        .containsExactly(NOT_FORWARDED + "unsupported");
    assertThat(read(new InterestKey("orders.a", "kind IS NULL"), 0, 4)).containsExactly("1", "3");
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
