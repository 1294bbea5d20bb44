package io.sluice.gateway.link;

import io.sluice.gateway.time.RunningClock;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.WebSocketBase;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** WebSocket of a link, whichever side has opened it. Bound to its event loop. */
final class LinkSocket implements LinkChannel {
  private static final Logger log = LoggerFactory.getLogger(LinkSocket.class);

  /** Pings per timeout. */
  private static final int PINGS = 3;

  /** Bytes above which a frame gets no further record. */
  private static final int FRAME_BYTES = 32 * 1024;

  /** Bytes that wait for the network above which the channel is full. */
  private static final int QUEUE_BYTES = 256 * 1024;

  private static final short POLICY_VIOLATION = 1008;

  private final Vertx vertx;
  private final Context loop;
  private final WebSocketBase socket;
  private final String peer;
  private final String address;
  private final long timeoutMs;
  private final long timer;
  private Listener listener;
  private Buffer frame;
  private boolean flushing;
  private final RunningClock clock;
  private long receivedMs;
  private long pingNs;
  private long roundTripMs = -1;
  private String closing;
  private boolean closed;

  /**
   * Creates the channel of an open socket. Called on its event loop.
   *
   * @param peer name of the other node in its certificate; empty without TLS
   * @param address URL or address of the other node
   */
  LinkSocket(Vertx vertx, WebSocketBase socket, String peer, String address, long timeoutMs) {
    this.vertx = vertx;
    this.loop = vertx.getOrCreateContext();
    this.socket = socket;
    this.peer = peer;
    this.address = address;
    this.timeoutMs = timeoutMs;
    this.clock = new RunningClock(System::nanoTime, timeoutMs);
    this.timer = vertx.setPeriodic(Math.max(1, timeoutMs / PINGS), any -> check());
    socket.setWriteQueueMaxSize(QUEUE_BYTES);
    socket.pongHandler(any -> onPong());
    socket.binaryMessageHandler(this::onFrame);
    socket.textMessageHandler(any -> close("a frame of the other node is not binary"));
    socket.drainHandler(any -> onRoom());
    socket.exceptionHandler(e -> closing = closing == null ? e.toString() : closing);
    socket.closeHandler(any -> onClosed());
  }

  /** Sets the receiver. */
  void listener(Listener receiver) {
    listener = receiver;
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public String localAddress() {
    SocketAddress address = socket.localAddress();
    return address == null || address.hostAddress() == null ? "" : address.hostAddress();
  }

  @Override
  public void execute(Runnable task) {
    loop.runOnContext(any -> task.run());
  }

  @Override
  public void later(Runnable task, long delayMs) {
    vertx.setTimer(delayMs, any -> task.run());
  }

  @Override
  public boolean isFull() {
    return isEnded() || socket.writeQueueFull();
  }

  // The socket fails if it is used between its end and the event of that.
  private boolean isEnded() {
    return closed || socket.isClosed();
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void send(LinkRecord sent) {
    if (closed) {
      return;
    }
    if (frame == null) {
      frame = Buffer.buffer(1024);
    }
    LinkCodec.write(sent, frame);
    if (frame.length() >= FRAME_BYTES) {
      flush();
    } else if (!flushing) {
      flushing = true;
      execute(
          () -> {
            flushing = false;
            flush();
          });
    }
  }

  /** Sends the records that were not sent. */
  private void flush() {
    if (frame != null && !isEnded()) {
      Buffer full = frame;
      frame = null;
      socket.writeBinaryMessage(full);
    }
  }

  private void onFrame(Buffer received) {
    receivedMs = clock.nowMs();
    List<LinkRecord> records;
    try {
      records = LinkCodec.read(received);
    } catch (LinkCodec.Malformed e) {
      close(e.getMessage());
      return;
    }
    for (LinkRecord each : records) {
      if (closed) {
        return;
      }
      listener.onRecord(each);
    }
    listener.onFrameEnd();
  }

  private void onRoom() {
    if (!closed) {
      listener.onRoom();
    }
  }

  private void check() {
    boolean isOnTime = clock.tick();
    long silentMs = clock.nowMs() - receivedMs;
    if (isOnTime && silentMs > timeoutMs) {
      close("the other node was silent for " + silentMs + " ms");
    } else if (!isEnded()) {
      pingNs = System.nanoTime();
      socket.writePing(Buffer.buffer());
    }
  }

  private void onPong() {
    receivedMs = clock.nowMs();
    roundTripMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - pingNs);
  }

  /** Returns the latest time of a ping to the other node and back; -1 before the first. */
  long roundTripMs() {
    return roundTripMs;
  }

  @Override
  public void close(String why) {
    if (closed) {
      return;
    }
    closing = why;
    flush();
    String sent = why.length() > 100 ? why.substring(0, 100) : why;
    socket.close(POLICY_VIOLATION, sent);
    onClosed();
  }

  private void onClosed() {
    if (closed) {
      return;
    }
    closed = true;
    vertx.cancelTimer(timer);
    String said = socket.closeReason();
    String why = closing != null ? closing : said == null || said.isEmpty() ? "closed" : said;
    log.atDebug().addKeyValue("peer", peer).addKeyValue("cause", why).log("link closed");
    listener.onClosed(why);
  }
}
