package io.sluice.gateway.stomp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.http.DetachedConnection;
import io.sluice.gateway.http.HttpExchange;
import io.sluice.gateway.http.SessionOutput;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.session.ProtocolContext;
import io.sluice.gateway.websocket.CloseCode;
import io.sluice.gateway.websocket.WebSocketFrame;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;

/**
 * Session of a SockJS client that receives by responses, one at a time, and sends by other
 * requests. Bound to the event loop of its first request, except {@link #execute}.
 */
final class XhrSession implements SessionOutput {
  /** Time without a response after which the session ends; also that of its last frame. */
  private static final long TIMEOUT_MS = 5_000;

  private static final long HEART_BEAT_MS = 25_000;
  private static final byte[] HEART_BEAT = {'h'};

  /** Most bytes of one write. */
  private static final int MAX_LINES = 64 * 1024;

  private static final byte[] BUSY = SockJs.closing(2010, "Another connection still open");
  private static final byte[] INTERRUPTED = SockJs.closing(1002, "Connection interrupted");
  private static final byte[] SLOW =
      SockJs.closing(CloseCode.SLOW_CONSUMER.code(), CloseCode.SLOW_CONSUMER.reason());

  private final ProtocolContext loop;
  private final Credential owner;
  private final String network;
  private final Runnable onRemoved;
  private final ArrayDeque<byte[]> frames = new ArrayDeque<>();
  private DetachedConnection connection;

  /** Bytes in {@link #frames}, and those that the receiver is writing. */
  private long waiting;

  private long writing;

  /** Null between two responses. */
  private XhrReceiver receiver;

  /** Number of writes and responses, by which a timer detects that nothing happened. */
  private int steps;

  private int stepsAtHeartBeat;

  /** Last frame, or null. */
  private byte[] last;

  private boolean ended;
  private boolean removed;

  /**
   * @param owner credential of its first request, or null
   * @param network network of its first request
   * @param onRemoved called on the event loop, when no request finds the session any more
   */
  XhrSession(ProtocolContext loop, Credential owner, String network, Runnable onRemoved) {
    this.loop = loop;
    this.owner = owner;
    this.network = network;
    this.onRemoved = onRemoved;
  }

  /** Creates the client, within the first request. */
  ConnectionListener open(DetachedConnection opened, StompNode node) {
    connection = opened;
    return new StompClient(loop, opened, node, true, owner);
  }

  /** Returns whether a request has the credential of the first one, or else its network. */
  boolean belongsTo(HttpExchange exchange) {
    // A Kerberos ticket differs at each request.
    return owner == null || owner instanceof Credential.Ticket
        ? network.equals(AddressRange.network(exchange.address()))
        : owner.equals(exchange.credential());
  }

  /** Runs a task on the event loop. Any thread. */
  void execute(Runnable task) {
    loop.executeLater(task, 0);
  }

  /** Passes a text of the client on. */
  void receive(byte[] text) {
    if (!ended) {
      connection.receive(Unpooled.wrappedBuffer(text));
    }
  }

  /** Sends by a response from now on. */
  void attach(XhrReceiver next) {
    if (receiver != null) {
      next.send(line(BUSY), true);
    } else if (removed) {
      next.send(line(INTERRUPTED), true);
    } else {
      if (steps == 0) {
        loop.executeLater(this::onHeartBeat, HEART_BEAT_MS);
      }
      receiver = next;
      steps++;
      if (ended && frames.isEmpty()) {
        add(last); // repeated, as SockJS does
      }
      flush();
    }
  }

  /**
   * Notifies that a write of a response has ended.
   *
   * @param ends whether the response has ended
   */
  void onSent(XhrReceiver sender, boolean ends, boolean succeeded) {
    if (sender != receiver) {
      return;
    }
    waiting -= writing;
    writing = 0;
    steps++;
    if (!succeeded) {
      onInterrupted(sender);
    } else if (ends) {
      detach();
    } else {
      flush();
    }
  }

  // The client may not have received the latest write.
  void onInterrupted(XhrReceiver gone) {
    if (gone != receiver) {
      return;
    }
    detach();
    if (!ended) {
      discard();
      last = INTERRUPTED;
      connection.end();
    }
  }

  private void detach() {
    receiver = null;
    int step = ++steps;
    loop.executeLater(
        () -> {
          if (step == steps) {
            remove();
          }
        },
        TIMEOUT_MS);
  }

  private void remove() {
    if (removed) {
      return;
    }
    removed = true;
    onRemoved.run();
    if (receiver != null) {
      receiver.abort();
    }
    connection.end();
    discard();
  }

  private void onHeartBeat() {
    if (removed) {
      return;
    }
    boolean isIdle = steps == stepsAtHeartBeat;
    stepsAtHeartBeat = steps;
    if (receiver != null && writing > 0 && isIdle) {
      XhrReceiver stalled = receiver;
      onInterrupted(stalled);
      stalled.abort();
    } else if (receiver != null && frames.isEmpty() && writing == 0) {
      add(HEART_BEAT);
      flush();
    }
    loop.executeLater(this::onHeartBeat, HEART_BEAT_MS);
  }

  @Override
  public void write(ByteBuf messages) {
    int at = messages.readerIndex();
    while (at < messages.writerIndex()) {
      ByteBuf message = messages.slice(at, messages.writerIndex() - at);
      int head = WebSocketFrame.headerBytesOf(message);
      byte[] frame = new byte[WebSocketFrame.payloadBytesOf(message)];
      message.getBytes(head, frame);
      add(frame);
      at += head + frame.length;
    }
  }

  private void add(byte[] frame) {
    frames.add(frame);
    waiting += frame.length;
    if (frame[0] == 'c') {
      last = frame;
    }
  }

  @Override
  public void flush() {
    if (receiver != null && writing == 0 && !frames.isEmpty()) {
      byte[] lines = lines(receiver.streams());
      receiver.send(lines, ended && frames.isEmpty());
    }
  }

  /** Removes waiting frames, and returns them as lines, or as one line with one array. */
  private byte[] lines(boolean several) {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    byte[] frame = next();
    boolean joins = !several && isArray(frame);
    lines.write(frame, 0, joins ? frame.length - 1 : frame.length);
    while (!frames.isEmpty() && lines.size() < MAX_LINES) {
      if (several) {
        lines.write('\n');
        lines.writeBytes(next());
      } else if (joins && isArray(frames.peek())) {
        byte[] array = next();
        lines.write(',');
        lines.write(array, 2, array.length - 3);
      } else {
        break;
      }
    }
    if (joins) {
      lines.write(']');
    }
    lines.write('\n');
    return lines.toByteArray();
  }

  private byte[] next() {
    byte[] frame = frames.remove();
    writing += frame.length;
    return frame;
  }

  private static boolean isArray(byte[] frame) {
    return frame[0] == 'a';
  }

  private static byte[] line(byte[] frame) {
    byte[] line = new byte[frame.length + 1];
    System.arraycopy(frame, 0, line, 0, frame.length);
    line[frame.length] = '\n';
    return line;
  }

  @Override
  public long pendingBytes() {
    return waiting;
  }

  @Override
  public void discard() {
    frames.clear();
    waiting = writing;
    last = SLOW;
  }

  @Override
  public void end() {
    ended = true;
    if (last == null) {
      last = INTERRUPTED;
    }
    if (frames.isEmpty() || frames.peekLast() != last) {
      add(last);
    }
    flush();
    loop.executeLater(this::remove, TIMEOUT_MS);
  }
}
