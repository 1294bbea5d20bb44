package io.sluice.gateway.sim;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.protocol.WebSocketFrame;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.Session;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * One client's connection: the node's end, a network with latency and a kernel that takes only so
 * many bytes, and the client's end. It may be cut between any two bytes.
 */
final class SimulatedConnection implements Connection {
  private static final Lease LEASE = Lease.unlimited();

  private static final long CLOSE_TIMEOUT = Plan.SECOND;

  private final Timeline timeline;
  private final Chance chance;
  private final Plan plan;
  private final SimulatedThread loop;
  private final SimulatedClient client;
  private final List<ByteBuf> lent = new ArrayList<>();
  private final Deque<byte[]> queue = new ArrayDeque<>();
  private final Deque<byte[]> unread = new ArrayDeque<>();
  private Session session;
  private long lentBytes;
  private long queuedBytes;
  private long kernelBytes;
  private long lastDown;
  private long lastUp;
  private boolean reading = true;
  private boolean slow;
  private boolean busy;
  private boolean digesting;
  private boolean dead;
  private boolean closing;
  private boolean closed;

  SimulatedConnection(
      Timeline timeline, Chance chance, Plan plan, SimulatedThread loop, SimulatedClient client) {
    this.timeline = timeline;
    this.chance = chance;
    this.plan = plan;
    this.loop = loop;
    this.client = client;
  }

  void open(Session opened) {
    session = opened;
    timeline.after(plan.pingInterval, this::ping);
  }

  private void ping() {
    if (!closed && !dead) {
      loop.execute(session::onPing);
      timeline.after(plan.pingInterval, this::ping);
    }
  }

  @Override
  public void write(ByteBuf frames) {
    lent.add(frames);
    lentBytes += frames.readableBytes();
  }

  @Override
  public void flush() {
    for (ByteBuf frames : lent) {
      queue.add(ByteBufUtil.getBytes(frames));
    }
    queuedBytes += lentBytes;
    lentBytes = 0;
    lent.clear();
    push();
  }

  @Override
  public void flushInBatch() {
    flush();
  }

  @Override
  public long pendingBytes() {
    return lentBytes + queuedBytes;
  }

  private void push() {
    while (!queue.isEmpty() && kernelBytes < plan.kernelBytes) {
      byte[] head = queue.poll();
      int taken = (int) Math.min(head.length, plan.kernelBytes - kernelBytes);
      if (taken < head.length) {
        queue.addFirst(Arrays.copyOfRange(head, taken, head.length));
      }
      queuedBytes -= taken;
      kernelBytes += taken;
      travel(Arrays.copyOf(head, taken));
    }
  }

  private void travel(byte[] bytes) {
    if (!dead) {
      lastDown = Math.max(lastDown, timeline.nowMicros() + chance.mostlySmall(plan.latency));
      timeline.at(lastDown, () -> arrive(bytes));
    }
  }

  private void arrive(byte[] bytes) {
    if (dead) {
      return;
    }
    unread.add(bytes);
    read();
  }

  private void read() {
    while (reading && !digesting && !dead && !unread.isEmpty()) {
      byte[] bytes = unread.poll();
      kernelBytes -= bytes.length;
      busy = true;
      client.onBytes(this, bytes);
      busy = false;
      digest(bytes.length);
    }
    push();
  }

  // What a slow client has taken keeps it from taking more for a while.
  private void digest(int bytes) {
    if (slow) {
      digesting = true;
      timeline.after(
          bytes * Plan.SECOND / plan.hardship.readBytesASecond(),
          () -> {
            digesting = false;
            read();
          });
    }
  }

  /** Whether the client takes what comes. */
  void reading(boolean value) {
    reading = value;
    if (value) {
      read();
    }
  }

  /** Whether the client takes its time over what it reads. */
  void slow(boolean value) {
    slow = value;
  }

  /** The client sends a text frame. */
  void send(String text) {
    lastUp = Math.max(lastUp, timeline.nowMicros() + chance.mostlySmall(plan.latency));
    timeline.at(lastUp, () -> receive(text));
  }

  private void receive(String text) {
    if (dead) {
      return;
    }
    loop.execute(
        () -> {
          if (!closed) {
            session.onText(Unpooled.wrappedBuffer(text.getBytes(UTF_8)));
          }
        });
  }

  /** The node warns the client. */
  void drain(long deadlineMs) {
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

  /** The node hears that the connection is gone. */
  private void onNodeClosed(long afterMicros) {
    timeline.after(
        afterMicros,
        () ->
            loop.execute(
                () -> {
                  if (!closed) {
                    closed = true;
                    session.onClosed();
                  }
                }));
  }

  /** Nothing travels any more; both ends hear of it later. What is on its way may be cut in two. */
  void cut(long clientAfterMicros, long nodeAfterMicros) {
    if (dead) {
      return;
    }
    if (reading && !busy && !unread.isEmpty()) {
      byte[] last = unread.poll();
      client.onBytes(this, Arrays.copyOf(last, chance.below(last.length)));
    }
    dead = true;
    unread.clear();
    timeline.after(clientAfterMicros, () -> client.onCut(this));
    onNodeClosed(nodeAfterMicros);
  }

  boolean isDead() {
    return dead;
  }

  @Override
  public String address() {
    return "simulated";
  }

  @Override
  public Lease lease() {
    return LEASE;
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }
}
