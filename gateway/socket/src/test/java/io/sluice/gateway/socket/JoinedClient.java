package io.sluice.gateway.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Client that compares the bytes it receives with those written to its socket. */
final class JoinedClient {
  private enum Ending {
    NONE,
    FINISHED,
    FINISHED_EARLY,
    CLOSED
  }

  private final SocketScene.Line line;
  private final Set<Integer> topics;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  /** Numbers of bytes after which a written buffer ends. */
  private final Set<Integer> boundaries = new HashSet<>(Set.of(0));

  private final CountDownLatch reads = new CountDownLatch(1);
  private final CompletableFuture<byte[]> received = new CompletableFuture<>();
  private Ending ending = Ending.NONE;
  private byte[] last = {};

  /**
   * Starts to read.
   *
   * @param late whether the client reads nothing before its connection ends
   */
  JoinedClient(SocketScene.Line line, Set<Integer> topics, boolean late) {
    this.line = line;
    this.topics = topics;
    if (!late) {
      reads.countDown();
    }
    Thread reader = new Thread(this::read, "reader");
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try {
      reads.await();
      received.complete(line.client.getInputStream().readAllBytes());
    } catch (IOException | InterruptedException e) {
      received.completeExceptionally(e);
    }
  }

  boolean subscribes(int topic) {
    return topics.contains(topic);
  }

  void write(ByteBuf bytes) {
    if (ending == Ending.NONE) {
      line.socket.write(bytes);
      written.writeBytes(ByteBufUtil.getBytes(bytes));
      boundaries.add(written.size());
    }
  }

  void flush() {
    line.socket.flush();
  }

  void flushInBatch() {
    line.socket.flushInBatch();
  }

  void closeOnce() {
    if (ending == Ending.NONE) {
      end(Ending.CLOSED);
      line.socket.close();
    }
  }

  /** Sends the last bytes; with {@code early}, discards the buffers of which nothing was sent. */
  void finish(ByteBuf bytes, boolean early) {
    if (ending != Ending.NONE) {
      return;
    }
    last = ByteBufUtil.getBytes(bytes);
    if (early) {
      end(Ending.FINISHED_EARLY);
      line.socket.finishEarly(bytes);
    } else {
      end(Ending.FINISHED);
      line.socket.finish(bytes);
    }
  }

  private void end(Ending how) {
    ending = how;
    reads.countDown();
  }

  /** Fails unless the received bytes are those that the socket's ending allows. */
  void assertReceived() throws Exception {
    byte[] all = received.get(60, TimeUnit.SECONDS);
    byte[] expected = written.toByteArray();
    switch (ending) {
      case FINISHED -> {
        assertThat(all.length).isEqualTo(expected.length + last.length);
        assertStarts(all, expected, expected.length);
        assertEnds(all);
      }
      case FINISHED_EARLY -> {
        int kept = all.length - last.length;
        assertThat(boundaries).as("ends of buffers").contains(kept);
        assertStarts(all, expected, kept);
        assertEnds(all);
      }
      default -> assertStarts(all, expected, Math.min(all.length, expected.length));
    }
  }

  private static void assertStarts(byte[] all, byte[] expected, int bytes) {
    assertThat(Arrays.mismatch(all, 0, bytes, expected, 0, bytes))
        .as("first wrong byte")
        .isEqualTo(-1);
  }

  private void assertEnds(byte[] all) {
    assertThat(Arrays.copyOfRange(all, all.length - last.length, all.length)).isEqualTo(last);
  }

  void assertNothingPending() {
    assertThat(line.socket.pendingBytes()).isZero();
  }
}
