package io.sluice.loadtest.links;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.loadtest.broker.workload.BenchStamp;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/**
 * Client of a node, which verifies the sequence of each publisher's messages. Its thread reads; the
 * thread that created it controls it and reads the figures after {@link #close}.
 *
 * <p>Latency is the difference to the publisher's {@link System#nanoTime}: on Linux, all processes
 * of a machine have the same.
 */
final class LinkSubscriber {
  private static final String SUBPROTOCOL = "sluice.v1.bin";
  private static final int KIND_MASK = 0x0f;
  private static final int MESSAGE = 0x01;
  private static final int PROPERTIES = 0x40;
  private static final int HEADER_BYTES = 20;
  private static final int TIMEOUT_SECONDS = 60;
  private static final int DIGITS = 3;
  private static final int MAX_GAPS = 3;
  private static final int MAX_SAMPLES = 1 << 24;

  private final FrameSocket socket;
  private final boolean keepsTimes;
  private final long[] next;
  private final Histogram latency = new Histogram(DIGITS);
  private final CompletableFuture<Void> subscribed = new CompletableFuture<>();
  private final Thread thread;

  /** Time of receipt of each measured message; 0 for others. */
  private long[] times = new long[0];

  private long lost;
  private long repeated;
  private final List<String> gaps = new ArrayList<>();
  private volatile long received;
  private volatile boolean measures;
  private volatile boolean closing;
  private volatile String failure;

  private LinkSubscriber(FrameSocket socket, int publishers, boolean keepsTimes) {
    this.socket = socket;
    this.next = new long[publishers];
    this.keepsTimes = keepsTimes;
    this.thread = new Thread(this::readAll, "subscriber");
  }

  /**
   * Connects and waits until the subscription is active.
   *
   * @param publishers number of publishers of the topic
   * @param keepsTimes whether the time of receipt of each measured message is kept
   */
  static LinkSubscriber open(URI url, String topic, int publishers, boolean keepsTimes)
      throws IOException, InterruptedException {
    LinkSubscriber opened =
        new LinkSubscriber(FrameSocket.connect(url, SUBPROTOCOL), publishers, keepsTimes);
    opened.socket.send("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"" + topic + "\"}");
    opened.thread.start();
    try {
      opened.subscribed.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      return opened;
    } catch (ExecutionException | TimeoutException e) {
      opened.close();
      throw new IOException("no subscription at " + url + ": " + e, e);
    }
  }

  private void readAll() {
    try {
      int opcode = socket.read();
      while (opcode != FrameSocket.CLOSE) {
        if (opcode == FrameSocket.BINARY) {
          onMessage(socket.payload(), System.nanoTime());
        } else {
          onText(new String(socket.payload(), UTF_8));
        }
        opcode = socket.read();
      }
      fail("closed by the node with code " + code(socket.payload()));
    } catch (IOException | RuntimeException e) {
      fail(e.toString());
    }
  }

  private static int code(byte[] payload) {
    return payload.length < 2 ? 1005 : (payload[0] & 0xff) << 8 | payload[1] & 0xff;
  }

  private void fail(String why) {
    if (!closing) {
      failure = why;
      subscribed.completeExceptionally(new IOException(why));
    }
  }

  private void onText(String frame) {
    if (frame.contains("\"type\":\"subscribed\"")) {
      subscribed.complete(null);
    } else if (frame.contains("\"type\":\"error\"")) {
      fail("error frame: " + frame);
    } else if (frame.contains("\"type\":\"gap\"")) {
      onGap(frame);
    }
  }

  private void onGap(String frame) {
    if (gaps.size() < MAX_GAPS) {
      gaps.add(frame);
    }
  }

  private void onMessage(byte[] frame, long now) {
    if ((frame[0] & KIND_MASK) != MESSAGE) {
      return;
    }
    BenchStamp stamp = BenchStamp.read(frame, payloadStart(frame));
    if (stamp == null || stamp.producer() >= next.length) {
      fail("message without the stamp of a publisher");
      return;
    }
    long expected = next[stamp.producer()];
    if (stamp.number() < expected) {
      repeated++;
      return;
    }
    lost += stamp.number() - expected;
    next[stamp.producer()] = stamp.number() + 1;
    if (measures) {
      latency.recordValue(Math.max(0, now - stamp.nanos()));
      keepTime(stamp, now);
    }
    received = received + 1;
  }

  private void keepTime(BenchStamp stamp, long now) {
    long index = stamp.number() * next.length + stamp.producer();
    if (!keepsTimes || index >= MAX_SAMPLES) {
      return;
    }
    if (index >= times.length) {
      times = Arrays.copyOf(times, (int) Math.min(MAX_SAMPLES, 2 * index + 1024));
    }
    times[(int) index] = now;
  }

  private static int payloadStart(byte[] frame) {
    if ((frame[0] & PROPERTIES) == 0) {
      return HEADER_BYTES;
    }
    int length = (frame[HEADER_BYTES] & 0xff) << 8 | frame[HEADER_BYTES + 1] & 0xff;
    return HEADER_BYTES + 2 + length;
  }

  /** Begins or ends the measured time. */
  void measure(boolean begin) {
    measures = begin;
  }

  /** Returns the number of messages so far. */
  long received() {
    return received;
  }

  /** Returns the reason of the connection's end, or null. */
  String failure() {
    return failure;
  }

  /** Returns what is known after {@link #close}. */
  LinkFigures.Received figures() {
    return new LinkFigures.Received(
        received, lost, repeated, gaps, LinkFigures.Percentiles.of(latency));
  }

  /** Returns how much later than another subscriber this one received each message. */
  LinkFigures.Percentiles after(LinkSubscriber other) {
    Histogram added = new Histogram(DIGITS);
    for (int i = 0; i < Math.min(times.length, other.times.length); i++) {
      if (times[i] != 0 && other.times[i] != 0) {
        added.recordValue(Math.max(0, times[i] - other.times[i]));
      }
    }
    return LinkFigures.Percentiles.of(added);
  }

  /** Closes the connection and waits for its thread. */
  void close() throws IOException, InterruptedException {
    closing = true;
    socket.close();
    thread.join();
  }
}
