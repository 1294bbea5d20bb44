package io.sluice.gateway.sim;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.Session;
import io.sluice.gateway.websocket.CloseCode;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * One client's connection: the node's end, a network with latency and a bounded kernel buffer, and
 * the client's end. It may be cut between any two bytes.
 */
public final class SimulatedConnection implements Connection {
  /** Client's end of a connection. */
  public interface Peer {
    /** Bytes have arrived. */
    void onBytes(SimulatedConnection from, byte[] bytes);

    /** The connection is lost. */
    void onCut(SimulatedConnection gone);
  }

  /**
   * Properties of a network. Times are microseconds.
   *
   * @param pingInterval interval of the node's pings
   * @param latency maximum latency
   * @param kernelBytes size of the kernel's buffer
   * @param readBytesASecond read rate of a slow client
   */
  public record Network(long pingInterval, long latency, int kernelBytes, int readBytesASecond) {}

  private static final String CAUGHT_UP = "{\"type\":\"caught-up\"";
  private static final long CLOSE_TIMEOUT = Plan.SECOND;

  private final Timeline timeline;
  private final SeededRandom random;
  private final Network network;
  private final SimulatedThread loop;
  private final Peer client;
  private final Lease lease;
  private final List<ByteBuf> borrowed = new ArrayList<>();
  private final Deque<byte[]> queue = new ArrayDeque<>();
  private final Deque<byte[]> unread = new ArrayDeque<>();
  private Session session;

  /** Time of all caught-up frames, or null for the node's. */
  private LongSupplier caughtUpMs;

  private long borrowedBytes;
  private long queuedBytes;
  private long kernelBytes;
  private long lastDown;
  private long lastUp;
  private boolean reading = true;
  private boolean slow;
  private boolean wide;
  private boolean busy;
  private boolean throttled;
  private boolean disconnected;
  private boolean closing;
  private boolean closed;

  /**
   * @param lease lease with which the node admitted the connection
   */
  public SimulatedConnection(
      Timeline timeline,
      SeededRandom random,
      Network network,
      SimulatedThread loop,
      Peer client,
      Lease lease) {
    this.timeline = timeline;
    this.random = random;
    this.network = network;
    this.loop = loop;
    this.client = client;
    this.lease = lease;
  }

  public void open(Session opened) {
    session = opened;
    timeline.after(network.pingInterval(), this::ping);
  }

  private void ping() {
    if (!closed && !disconnected) {
      loop.execute(session::onPing);
      timeline.after(network.pingInterval(), this::ping);
    }
  }

  @Override
  public void write(ByteBuf frames) {
    ByteBuf sent = caughtUpMs == null ? frames : withTime(frames);
    borrowed.add(sent);
    borrowedBytes += sent.readableBytes();
  }

  /** Replaces the time of each caught-up frame. */
  void caughtUpMs(LongSupplier other) {
    caughtUpMs = other;
  }

  // All times have as many digits.
  private ByteBuf withTime(ByteBuf frames) {
    String text = frames.toString(ISO_8859_1);
    return text.contains(CAUGHT_UP)
        ? Unpooled.copiedBuffer(
            text.replaceFirst("\\d{13}", String.valueOf(caughtUpMs.getAsLong())), ISO_8859_1)
        : frames;
  }

  @Override
  public void flush() {
    for (ByteBuf frames : borrowed) {
      queue.add(ByteBufUtil.getBytes(frames));
    }
    queuedBytes += borrowedBytes;
    borrowedBytes = 0;
    borrowed.clear();
    push();
  }

  @Override
  public void flushInBatch() {
    flush();
  }

  @Override
  public void abort() {
    throw new AssertionError("a flush has failed");
  }

  @Override
  public long pendingBytes() {
    return borrowedBytes + queuedBytes;
  }

  private void push() {
    long room = wide ? Long.MAX_VALUE : network.kernelBytes();
    while (!queue.isEmpty() && kernelBytes < room) {
      byte[] head = queue.poll();
      int taken = (int) Math.min(head.length, room - kernelBytes);
      if (taken < head.length) {
        queue.addFirst(Arrays.copyOfRange(head, taken, head.length));
      }
      queuedBytes -= taken;
      kernelBytes += taken;
      travel(Arrays.copyOf(head, taken));
    }
  }

  private void travel(byte[] bytes) {
    if (!disconnected) {
      lastDown = Math.max(lastDown, timeline.nowMicros() + random.mostlySmall(network.latency()));
      timeline.at(lastDown, () -> arrive(bytes));
    }
  }

  private void arrive(byte[] bytes) {
    if (disconnected) {
      return;
    }
    unread.add(bytes);
    read();
  }

  private void read() {
    while (reading && !throttled && !disconnected && !unread.isEmpty()) {
      byte[] bytes = unread.poll();
      kernelBytes -= bytes.length;
      busy = true;
      client.onBytes(this, bytes);
      busy = false;
      throttle(bytes.length);
    }
    push();
  }

  // A slow client pauses after each read in proportion to the bytes read.
  private void throttle(int bytes) {
    if (slow) {
      throttled = true;
      timeline.after(
          bytes * Plan.SECOND / network.readBytesASecond(),
          () -> {
            throttled = false;
            read();
          });
    }
  }

  /** Sets whether the client reads. */
  public void reading(boolean value) {
    reading = value;
    if (value) {
      read();
    }
  }

  /** Sets whether the client reads slowly. */
  public void slow(boolean value) {
    slow = value;
  }

  /** Removes the bound of the bytes in flight, so that a backlog arrives within one latency. */
  void widen() {
    wide = true;
    push();
  }

  /** Sends a text frame from the client. */
  public void send(String text) {
    lastUp = Math.max(lastUp, timeline.nowMicros() + random.mostlySmall(network.latency()));
    timeline.at(lastUp, () -> receive(text));
  }

  private void receive(String text) {
    if (disconnected) {
      return;
    }
    loop.execute(
        () -> {
          if (!closed) {
            session.onText(Unpooled.wrappedBuffer(text.getBytes(UTF_8)));
          }
        });
  }

  /** Sends the drain notice to the client. */
  public void drain(long deadlineMs) {
    loop.execute(
        () -> {
          if (!closed) {
            session.onDraining(deadlineMs, null);
          }
        });
  }

  @Override
  public void close(CloseCode code) {
    if (closing) {
      return;
    }
    flush();
    closing = true;
    ByteBuf frame = Unpooled.buffer();
    WebSocketFrame.writeClose(frame, code.code(), code.reason());
    byte[] bytes = ByteBufUtil.getBytes(frame);
    queue.add(bytes);
    queuedBytes += bytes.length;
    push();
    onNodeClosed(Plan.MILLI);
    timeline.after(CLOSE_TIMEOUT, () -> cut(0, 0));
  }

  /** Notifies the node of the lost connection. */
  private void onNodeClosed(long afterMicros) {
    timeline.after(
        afterMicros,
        () ->
            loop.execute(
                () -> {
                  if (!closed) {
                    closed = true;
                    session.onClosed();
                    lease.close();
                  }
                }));
  }

  /** Cuts the connection; both ends are notified later. Bytes in flight may be truncated. */
  public void cut(long clientAfterMicros, long nodeAfterMicros) {
    if (disconnected) {
      return;
    }
    if (reading && !busy && !unread.isEmpty()) {
      byte[] last = unread.poll();
      client.onBytes(this, Arrays.copyOf(last, random.below(last.length)));
    }
    disconnected = true;
    unread.clear();
    timeline.after(clientAfterMicros, () -> client.onCut(this));
    onNodeClosed(nodeAfterMicros);
  }

  public boolean isDisconnected() {
    return disconnected;
  }

  @Override
  public String address() {
    return "simulated";
  }

  @Override
  public Lease lease() {
    return lease;
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }
}
