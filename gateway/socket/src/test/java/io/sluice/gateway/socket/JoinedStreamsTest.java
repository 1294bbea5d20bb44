package io.sluice.gateway.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.uring.IoUring;
import io.netty.handler.ssl.OpenSsl;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Property: every client receives the bytes written to its socket, as without joined queues. Random
 * subscription sets, messages, speeds and endings; each batch ends as that of a shard.
 */
final class JoinedStreamsTest {
  private static final int KIB = 1024;
  private static final int TOPICS = 6;
  private static final int CLIENTS = 16;
  private static final int BATCHES = 250;

  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final CopyAllocator copies = new CopyAllocator();
  private final List<ByteBuf> allBuffers = new ArrayList<>();
  private final List<JoinedClient> clients = new ArrayList<>();

  @BeforeAll
  static void requireEpoll() {
    assumeThat(Epoll.isAvailable()).as("epoll is there").isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldSendTheWrittenBytes(boolean ring) throws Exception {
    assumeThat(!ring || IoUring.isAvailable()).as("io_uring is there").isTrue();
    try (SocketScene scene = new SocketScene(8 * KIB)) {
      play(scene, ring);
      assertThat(copies.count()).as("joined queues").isPositive();
    }
    assertNothingInUse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldSendTheWrittenBytesEncrypted(boolean ring, @TempDir Path folder) throws Exception {
    assumeThat(!ring || IoUring.isAvailable()).as("io_uring is there").isTrue();
    assumeThat(OpenSsl.isAvailable()).as("OpenSSL is there").isTrue();
    try (SocketScene scene = new SocketScene(8 * KIB).withTls(folder, "TLSv1.3")) {
      play(scene, ring);
    }
    assertNothingInUse();
  }

  private void play(SocketScene scene, boolean ring) throws Exception {
    try {
      scene.open(
          ring ? scene.onLoop(() -> IoUringSender.open(scene.loop)) : new DirectSender(), copies);
      connect(scene);
      for (int i = 0; i < BATCHES; i++) {
        playBatch(scene);
      }
      end(scene);
    } catch (Exception | AssertionError e) {
      throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
    }
  }

  private void assertNothingInUse() {
    assertThat(copies.usedBytes()).as("bytes of copies in use, seed %d", seed).isZero();
    assertThat(allBuffers).as("seed %d", seed).allMatch(buffer -> buffer.refCnt() == 0);
  }

  /** Connects groups of clients with equal sets of topics; every fourth client reads late. */
  private void connect(SocketScene scene) throws Exception {
    Set<Integer> topics = Set.of();
    for (int i = 0; i < CLIENTS; i++) {
      if (i % 4 == 0) {
        topics = randomTopics();
      }
      SocketScene.Line line = scene.connect().withSendBuffer(8 * KIB);
      clients.add(new JoinedClient(line, topics, i % 4 == 3));
    }
  }

  private Set<Integer> randomTopics() {
    Set<Integer> topics = new HashSet<>();
    for (int topic = 0; topic < TOPICS; topic++) {
      if (random.nextInt(4) > 0) {
        topics.add(topic);
      }
    }
    return topics;
  }

  private void playBatch(SocketScene scene) throws Exception {
    List<ByteBuf> borrowed = new ArrayList<>();
    scene.batch(
        () -> {
          for (int messages = random.nextInt(10); messages > 0; messages--) {
            deliver(borrowed);
          }
          clients.forEach(JoinedClient::flushInBatch);
          disturbAfterFlush(borrowed);
        });
    scene.onLoop(
        () -> {
          borrowed.forEach(ByteBuf::release);
          return null;
        });
  }

  private void deliver(List<ByteBuf> borrowed) {
    int topic = random.nextInt(TOPICS);
    ByteBuf message = message(borrowed);
    for (JoinedClient client : clients) {
      if (client.subscribes(topic)) {
        client.write(message);
      }
      disturb(client, borrowed);
    }
  }

  private ByteBuf message(List<ByteBuf> borrowed) {
    int bytes = 1 + random.nextInt(random.nextInt(20) == 0 ? 40 * KIB : KIB);
    byte[] content = new byte[bytes];
    random.nextBytes(content);
    ByteBuf message = Unpooled.directBuffer(bytes).writeBytes(content);
    borrowed.add(message);
    allBuffers.add(message);
    return message;
  }

  private void disturb(JoinedClient client, List<ByteBuf> borrowed) {
    switch (random.nextInt(2000)) {
      case 0, 1, 2, 3, 4, 5 -> client.write(message(borrowed)); // an answer of the session
      case 6, 7, 8, 9 -> client.flush();
      case 10 -> client.closeOnce();
      case 11 -> client.finish(message(borrowed), false);
      case 12 -> client.finish(message(borrowed), true);
      default -> {}
    }
  }

  // A session may write, flush or close between the flush and the end of the batch.
  private void disturbAfterFlush(List<ByteBuf> borrowed) {
    for (JoinedClient client : clients) {
      if (random.nextInt(40) == 0) {
        client.write(message(borrowed));
        client.flush();
      }
      if (random.nextInt(1000) == 0) {
        client.closeOnce();
      }
    }
  }

  private void end(SocketScene scene) throws Exception {
    List<ByteBuf> last = new ArrayList<>();
    scene.onLoop(
        () -> {
          clients.forEach(client -> client.finish(message(last), false));
          last.forEach(ByteBuf::release);
          return null;
        });
    for (JoinedClient client : clients) {
      client.assertReceived();
    }
    scene.onLoop(
        () -> {
          clients.forEach(JoinedClient::assertNothingPending);
          return null;
        });
  }
}
