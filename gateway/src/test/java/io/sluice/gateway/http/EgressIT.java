package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestScope;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Egress on every transport: no byte is lost, duplicated or out of order, regardless of the
 * clients' sockets, and every buffer is released once.
 */
@Isolated("observes the whole process")
final class EgressIT {
  private static final int KIB = 1024;
  private static final int LARGEST = 200 * KIB;

  private static TestBroker broker;
  private static BufferWatch watch;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);

  @BeforeAll
  static void start() {
    broker = TestBroker.start("artemis");
    watch = new BufferWatch();
  }

  @AfterAll
  static void stop() {
    watch.close();
    broker.close();
  }

  static Stream<TransportKind> wires() {
    return TestScope.cases(1, TransportKind.EPOLL, TransportKind.NIO, TransportKind.IO_URING);
  }

  /** Actions of a test on its scene; no client is connected at their end. */
  @FunctionalInterface
  private interface Play {
    void act(EgressScene scene) throws Exception;
  }

  private void play(EgressScene scene, Play play) throws Exception {
    try (scene) {
      scene.assumeWayIsThere();
      watch.mark();
      play.act(scene);
      watch.awaitMemoryBack();
    } catch (Exception | AssertionError e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
    watch.assertNothingLeaked();
  }

  private Pace uneven() {
    return Pace.uneven(new Random(random.nextLong()));
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldPreserveByteOrderForReadersOfAnySpeed(TransportKind wire) throws Exception {
    String prefix = wire + ".pace.";
    Publications publications =
        new Publications(random)
            .with(prefix + "a", 40, LARGEST)
            .with(prefix + "b", 40, LARGEST)
            .with(prefix + "c", 40, LARGEST)
            .with(prefix + "small", 100, 4 * KIB)
            .with(prefix + "toggled", 100, 20 * KIB);
    EgressScene scene = new EgressScene(broker, wire, publications, UnaryOperator.identity());
    play(scene, all -> playAnyPace(all, prefix));
  }

  private void playAnyPace(EgressScene scene, String prefix) throws Exception {
    String toggled = prefix + "toggled";
    CountDownLatch half = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    List<StreamClient> steady =
        List.of(
            scene.open("quick", Encoding.JSON, 0, Pace.quick()),
            scene.open("quick, deflated", Encoding.BINARY_DEFLATED, 16 * KIB, Pace.quick()),
            scene.open("narrow", Encoding.JSON, 4 * KIB, Pace.quick()),
            scene.open("uneven, binary", Encoding.BINARY, 16 * KIB, uneven()));
    List<StreamClient> pausing =
        List.of(
            scene.open("late", Encoding.BINARY, 4 * KIB, Pace.quick().pausing(4 * KIB, end)),
            scene.open(
                "pausing",
                Encoding.JSON_DEFLATED,
                8 * KIB,
                uneven().pausing(50 * KIB, half).pausing(500 * KIB, end)),
            scene.open(
                "pausing, deflated",
                Encoding.BINARY_DEFLATED,
                8 * KIB,
                uneven().pausing(30 * KIB, half).pausing(300 * KIB, end)));
    List<StreamClient> small =
        List.of(
            scene.open("byte by byte", Encoding.JSON, 16 * KIB, Pace.byteByByte()),
            scene.open(
                "byte by byte, binary", Encoding.BINARY_DEFLATED, 16 * KIB, Pace.byteByByte()));
    StreamClient pattern = scene.open("pattern", Encoding.BINARY, 4 * KIB, uneven());
    steady.forEach(client -> client.subscribe(scene.topics()));
    pausing.forEach(client -> client.subscribe(scene.topics()));
    small.forEach(client -> client.subscribe(List.of(prefix + "small")));
    pattern.subscribe(List.of(prefix + ">"));
    List<StreamClient> everybody = new ArrayList<>(steady);
    everybody.addAll(pausing);
    everybody.addAll(small);
    everybody.add(pattern);

    for (int i = 0; !scene.isAllPublished(); i++) {
      scene.publishNext(pick(scene.topics()));
      disturb(pick(everybody));
      if (i % 4 == 0) {
        toggle(steady.get(1 + random.nextInt(steady.size() - 1)), toggled);
      }
      if (i == 150) {
        pausing.forEach(client -> client.unsubscribe(toggled)); // answered behind all that waits
        half.countDown();
      }
    }
    everybody.forEach(this::disturb);
    end.countDown();

    scene.awaitPublished(List.of(steady.get(0)));
    for (String topic : scene.topics()) {
      awaitPublished(scene, steady, topic);
      if (!topic.equals(toggled)) {
        awaitPublished(scene, pausing, topic);
      }
    }
    awaitPublished(scene, small, prefix + "small");
    long all = scene.topics().stream().mapToLong(scene::published).sum();
    pattern.awaitOffset(prefix + ">", all);
    assertThat(steady.get(1).check().deflated()).as("compressed messages").isPositive();
    assertThat(pausing.get(1).check().deflated()).as("compressed messages").isPositive();
    scene.leave(everybody);
  }

  private <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }

  private void disturb(StreamClient client) {
    switch (random.nextInt(4)) {
      case 0 -> client.ping();
      case 1 -> client.pingBySluice();
      case 2 -> {
        client.ping();
        client.pingBySluice();
        client.ping();
      }
      default -> {}
    }
  }

  private static void toggle(StreamClient client, String topic) {
    client.throwFailure();
    if (client.check().isAnswered()) {
      if (client.check().isSubscribed(topic)) {
        client.unsubscribe(topic);
      } else {
        client.ask(topic);
      }
    }
  }

  private static void awaitPublished(EgressScene scene, List<StreamClient> clients, String topic) {
    for (StreamClient client : clients) {
      client.awaitAnswers();
      if (client.check().isSubscribed(topic)) {
        client.awaitOffset(topic, scene.published(topic));
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldCloseSlowConsumersBehindAWholeFrameAndLoseNothingOfTheirNeighbours(TransportKind wire)
      throws Exception {
    long limit = 256 * KIB;
    Publications publications =
        new Publications(random)
            .with(wire + ".slow.a", 400, 16 * KIB)
            .with(wire + ".slow.b", 400, 16 * KIB);
    play(
        new EgressScene(
            broker, wire, publications, c -> c.with(LimitSettings.PENDING_BYTES, limit)),
        scene -> playSlow(scene, limit));
  }

  private void playSlow(EgressScene scene, long limit) {
    List<StreamClient> neighbours = scene.openNeighbours();
    CountDownLatch closed = new CountDownLatch(1);
    List<StreamClient> slow = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Encoding encoding = Encoding.SLUICE.get(i % Encoding.SLUICE.size());
      Pace pace = uneven().pausing(2 * KIB + random.nextInt(20 * KIB), closed);
      slow.add(scene.open("slow " + encoding, encoding, 4 * KIB, pace).subscribe(scene.topics()));
    }
    // At the pace of the other clients, so that none of them becomes slow.
    while (drops(scene) < slow.size()) {
      assertThat(scene.isAllPublished()).as("all is published, and some are not closed").isFalse();
      publish(scene, 4); // half of the limit at most
      scene.awaitPublished(neighbours);
      neighbours.forEach(this::disturb);
    }
    closed.countDown();
    for (StreamClient client : slow) {
      EgressScene.awaitClosed(client, 4000);
      assertThat(client.check().bytes())
          .as("bytes that waited for %s, in the kernel, too", client)
          .isLessThan(limit + 256 * KIB);
      client.close();
    }
    scene.awaitConnections(neighbours.size());
    publish(scene, 4);
    scene.awaitPublished(neighbours);
    assertThat(drops(scene)).isEqualTo(slow.size());
    scene.leave(neighbours);
  }

  private static double drops(EgressScene scene) {
    return scene.node.metric("sluice_drops_total{cause=\"slow-consumer\"}");
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldCloseAClientThatSendsPingsAndReadsNoPongs(TransportKind wire) throws Exception {
    Publications none = new Publications(random);
    EgressScene scene =
        new EgressScene(
            broker,
            wire,
            none,
            c ->
                c.with(LimitSettings.PENDING_BYTES, 32L * KIB)
                    .with(TimeoutSettings.CLOSE, Duration.ofSeconds(1)));
    play(scene, this::playPings);
  }

  // However small its buffers, a kernel may gather as much as 64 KiB of answers in one piece; all
  // of
  // them are many times that.
  private void playPings(EgressScene scene) throws Exception {
    ClientFrame[] pings = new ClientFrame[100];
    Arrays.fill(pings, ClientFrame.ping(""));
    try (RawWebSocket client = scene.request().receiveBuffer(4 * KIB).open()) {
      client.send(ClientFrame.text("{\"type\":\"ping\",\"ref\":1}"));
      sendUntilClosed(client, pings);
      scene.awaitMetric("sluice_connections_closed_total{code=\"4000\"}", 1);
    }
  }

  private static void sendUntilClosed(RawWebSocket client, ClientFrame... frames) {
    try {
      for (int i = 0; i < 4_000; i++) {
        client.send(frames);
      }
    } catch (UncheckedIOException e) {
      assertThat(e).hasCauseInstanceOf(SocketException.class);
    }
  }

  /** Kinds of disconnects. Each leaves bytes unread, most of them inside a frame. */
  private enum Death {
    RESET,
    CLOSE_UNREAD,
    RESET_INSIDE_A_FRAME;

    void die(RawWebSocket client) {
      switch (this) {
        case RESET -> client.reset();
        case CLOSE_UNREAD -> client.close();
        case RESET_INSIDE_A_FRAME -> {
          client.send(ClientFrame.text("{\"type\":\"ping\"").claiming(1000).bytes());
          client.reset();
        }
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldKeepServingWhenClientsDisconnectDuringFanout(TransportKind wire) throws Exception {
    Publications publications =
        new Publications(random)
            .with(wire + ".death.a", 60, LARGEST)
            .with(wire + ".death.b", 60, LARGEST)
            .with(wire + ".death.c", 120, 2 * KIB);
    EgressScene scene = new EgressScene(broker, wire, publications, UnaryOperator.identity());
    play(scene, this::playDeaths);
  }

  private void playDeaths(EgressScene scene) {
    List<StreamClient> neighbours = scene.openNeighbours();
    for (int wave = 0; wave < 2; wave++) {
      List<RawWebSocket> doomed = openDoomed(scene, 16);
      for (int i = 0; i < 60; i++) {
        scene.topics().forEach(scene::publishNext);
        if (i % 3 == 2 && !doomed.isEmpty()) {
          RawWebSocket next = doomed.remove(0);
          for (int frames = random.nextInt(4); frames > 0; frames--) {
            next.readFrame();
          }
          pick(List.of(Death.values())).die(next);
        }
      }
      assertThat(doomed).isEmpty();
    }
    scene.awaitPublished(neighbours);
    scene.awaitConnections(neighbours.size());
    scene.awaitMetric("sluice_subscriptions", neighbours.size() * scene.topics().size());
    scene.leave(neighbours);
  }

  private List<RawWebSocket> openDoomed(EgressScene scene, int count) {
    List<RawWebSocket> doomed = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      RawWebSocket.Request request = scene.request().receiveBuffer(4 * KIB << random.nextInt(4));
      if (i % 2 == 0) {
        request.subprotocols(Encoding.BINARY_SUBPROTOCOL);
      }
      if (i % 4 < 2) {
        request.deflate();
      }
      RawWebSocket client = request.open();
      scene.topics().forEach(topic -> client.subscribe(1, topic));
      doomed.add(client);
    }
    return doomed;
  }

  @ParameterizedTest
  @MethodSource("wires")
  void shouldEndHalfClosedConnectionsAndTearNoFrameButTheLast(TransportKind wire) throws Exception {
    Publications publications = new Publications(random).with(wire + ".half", 60, LARGEST);
    EgressScene scene = new EgressScene(broker, wire, publications, UnaryOperator.identity());
    play(scene, this::playHalfClose);
  }

  private void playHalfClose(EgressScene scene) {
    List<StreamClient> neighbours = scene.openNeighbours();
    CountDownLatch ended = new CountDownLatch(1);
    List<StreamClient> half = openPausing(scene, ended);
    publish(scene, 30);
    half.forEach(StreamClient::endOutput); // while much waits for them
    publish(scene, 10);
    ended.countDown();
    for (StreamClient client : half) {
      // Queued bytes may be lost with the connection, but received bytes are correct.
      assertThat(client.awaitEnding()).as("%s", client).isNotNull();
      client.throwFailure();
    }
    scene.awaitConnections(neighbours.size());
    scene.publishAll();
    scene.awaitPublished(neighbours);
    scene.leave(neighbours);
  }

  @ParameterizedTest
  @MethodSource("wires")
  void shouldCloseHalfClosedClientsThatReadNothing(TransportKind wire) throws Exception {
    Publications publications = new Publications(random).with(wire + ".deaf", 40, LARGEST);
    EgressScene scene = new EgressScene(broker, wire, publications, UnaryOperator.identity());
    play(scene, this::playDeaf);
  }

  private void playDeaf(EgressScene scene) {
    List<StreamClient> neighbours = scene.openNeighbours();
    CountDownLatch never = new CountDownLatch(1);
    List<StreamClient> deaf = openPausing(scene, never);
    publish(scene, 30);
    deaf.forEach(StreamClient::endOutput);
    scene.awaitConnections(neighbours.size()); // a pending send delays no other client
    scene.publishAll();
    scene.awaitPublished(neighbours);
    deaf.forEach(StreamClient::close);
    scene.leave(neighbours);
  }

  private List<StreamClient> openPausing(EgressScene scene, CountDownLatch until) {
    List<StreamClient> pausing = new ArrayList<>();
    for (Encoding encoding : Encoding.SLUICE) {
      Pace pace = uneven().pausing(4 * KIB + random.nextInt(20 * KIB), until);
      pausing.add(
          scene.open("pausing " + encoding, encoding, 4 * KIB, pace).subscribe(scene.topics()));
    }
    return pausing;
  }

  private static void publish(EgressScene scene, int rounds) {
    for (int i = 0; i < rounds; i++) {
      scene.topics().forEach(scene::publishNext);
    }
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldReplyToACloseFrameAfterQueuedMessages(TransportKind wire) throws Exception {
    Publications publications = new Publications(random).with(wire + ".close", 60, LARGEST);
    EgressScene scene =
        new EgressScene(broker, wire, publications, c -> c.with(ServerSettings.EVENT_LOOPS, 1));
    play(scene, this::playClose);
  }

  private void playClose(EgressScene scene) {
    String topic = scene.topics().get(0);
    CountDownLatch closing = new CountDownLatch(1);
    List<StreamClient> pausing = openPausing(scene, closing);
    List<StreamClient> neighbours = scene.openNeighbours();
    publish(scene, 40);
    scene.awaitPublished(neighbours); // and so the same waits for the others, on the same loop
    for (StreamClient client : pausing) {
      client.ping();
      client.sendClose(1000);
    }
    scene.awaitMetric("sluice_subscriptions", neighbours.size()); // the close frames have been read
    scene.publishAll();
    closing.countDown();
    for (StreamClient client : pausing) {
      EgressScene.awaitClosed(client, 1000);
      assertThat(client.check().isAt(topic, 40)).as("all that waited: %s", client).isTrue();
      assertThat(client.check().isAnswered()).as("the ping's answer: %s", client).isTrue();
      client.close();
    }
    scene.awaitPublished(neighbours);
    scene.leave(neighbours);
  }

  @Tag("full")
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldSendQueuedMessagesBeforeTheCloseOfADrainingNode(TransportKind wire) throws Exception {
    Publications publications = new Publications(random).with(wire + ".drain", 40, LARGEST);
    EgressScene scene =
        new EgressScene(
            broker,
            wire,
            publications,
            c ->
                c.with(ServerSettings.EVENT_LOOPS, 1)
                    .with(TimeoutSettings.DRAIN, Duration.ofSeconds(2)));
    play(scene, this::playDrain);
  }

  private void playDrain(EgressScene scene) throws Exception {
    String topic = scene.topics().get(0);
    CountDownLatch draining = new CountDownLatch(1);
    List<StreamClient> leaving = openPausing(scene, draining);
    List<StreamClient> neighbours = scene.openNeighbours();
    scene.publishAll();
    scene.awaitPublished(neighbours);
    Thread drain = new Thread(scene.node.gateway()::drainAndStop, "drain");
    drain.start();
    await().until(() -> scene.node.admin("/health/ready").statusCode() == 503);
    draining.countDown();
    leaving.addAll(neighbours);
    for (StreamClient client : leaving) {
      EgressScene.awaitClosed(client, 4100);
      assertThat(client.check().isAt(topic, 40)).as("all that waited: %s", client).isTrue();
      client.close();
    }
    drain.join(Duration.ofSeconds(60).toMillis());
    assertThat(drain.isAlive()).as("the node still stops").isFalse();
  }
}
