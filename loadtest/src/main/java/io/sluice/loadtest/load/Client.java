package io.sluice.loadtest.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.loadtest.load.frame.FrameParser;
import io.sluice.loadtest.load.frame.FrameScanner;
import io.sluice.loadtest.load.frame.MessageScanner;
import io.sluice.loadtest.load.frame.PayloadCheck;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * Client of the load generator. It connects, subscribes, counts messages, and answers ping and
 * close frames. Bound to its event loop.
 */
final class Client implements Link.Listener, FrameScanner.Listener {
  private static final int NORMAL = 1000;
  private static final int NO_CODE = 1005;

  private final ClientLoop loop;
  private final int number;
  private ClientState state = ClientState.DISCONNECTED;
  private Link link;
  private ClientHandshake handshake;
  private FrameParser frames;
  private int attempt;
  private long sequence = PayloadCheck.NONE;

  /**
   * Creates a disconnected client.
   *
   * @param number among all load generators of a run
   */
  Client(ClientLoop loop, int number) {
    this.loop = loop;
    this.number = number;
  }

  int number() {
    return number;
  }

  ClientState state() {
    return state;
  }

  /** Returns the number of the latest connection attempt. */
  int attempt() {
    return attempt;
  }

  /** Returns whether a connection attempt or a subscription is in progress. */
  boolean isPending() {
    return link != null && state != ClientState.SUBSCRIBED;
  }

  /** Marks the client as queued for the connection rate limit. */
  void queue() {
    setState(ClientState.QUEUED);
  }

  /** Connects a disconnected or waiting client. */
  void connect(Connector links, InetSocketAddress to, InetSocketAddress from) {
    attempt++;
    setState(ClientState.CONNECTING);
    try {
      link = links.connect(this, to, from);
    } catch (IOException e) {
      onEnd(e);
    }
  }

  /** Disconnects without reconnecting. */
  void disconnect(DisconnectMode mode) {
    if (link == null) {
      setState(ClientState.DISCONNECTED);
      return;
    }
    if (mode == DisconnectMode.CLOSE && isOpen()) {
      sendClose(NORMAL);
    }
    if (link != null) {
      disconnectNow(mode);
    }
  }

  @Override
  public void onConnected() {
    setState(ClientState.OPENING);
    handshake =
        new ClientHandshake(loop.plan().options().encoding(), loop.plan().options().inflate());
    ByteBuf out = loop.out();
    handshake.writeRequest(out, loop.plan().options().url());
    send(out);
  }

  @Override
  public void onBytes(ByteBuf in) {
    if (state == ClientState.OPENING && handshake.read(in)) {
      endHandshake(in);
    }
    if (isOpen()) {
      String fault = frames.read(in, loop.scratch(), this);
      if (fault != null && link != null) {
        fail(fault);
      }
    }
  }

  @Override
  public void onEnd(Throwable cause) {
    String reason = cause == null ? "" : ": " + reason(cause);
    boolean connected = state != ClientState.CONNECTING;
    boolean opened = isOpen();
    reset();
    if (opened) {
      loop.onClosed(this, "the connection ended without a close frame" + reason);
    } else if (connected) {
      loop.onFailed(this, "the connection ended within the handshake" + reason);
    } else {
      loop.onFailed(this, "cannot connect to " + loop.plan().options().url().authority() + reason);
    }
  }

  // TLS wraps the cause in generic exceptions, and some exceptions have no message.
  private static String reason(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
  }

  /** Closes the connection because of a failure. */
  void fail(String reason) {
    disconnectNow(DisconnectMode.CLOSE);
    loop.onFailed(this, reason);
  }

  private void endHandshake(ByteBuf body) {
    String fault = handshake.fault(body);
    if (fault != null) {
      fail(fault);
      return;
    }
    frames =
        loop.plan().options().inflate()
            ? new MessageScanner(handshake.isTakeover())
            : new FrameScanner();
    sequence = PayloadCheck.NONE;
    handshake = null;
    setState(ClientState.OPEN);
    ByteBuf out = loop.out();
    byte[] connect = loop.plan().connectFrame();
    if (connect != null) {
      MaskedFrame.write(out, MaskedFrame.TEXT, connect);
    }
    MaskedFrame.write(out, MaskedFrame.TEXT, loop.plan().subscribeFrame(number));
    send(out);
  }

  @Override
  public void onData(long payloadBytes) {
    loop.counters().bytes += payloadBytes;
  }

  @Override
  public void onBinary() {
    loop.counters().frames++;
  }

  @Override
  public void onText(ByteBuf bytes, int start, int count) {
    switch (TextKind.of(bytes, start, count)) {
      case MESSAGE -> loop.counters().frames++;
      case SUBSCRIBED -> onSubscribed();
      case ERROR -> onError(bytes.toString(start, count, UTF_8));
      case GAP -> {
        loop.counters().gaps++;
        sequence = PayloadCheck.NONE;
      }
      default -> {
        // Other frames are ignored.
      }
    }
  }

  @Override
  public void onMessage(byte[] content, boolean text) {
    loop.counters().inflatedBytes += content.length;
    if (!isOpen()) {
      return;
    }
    long before = loop.counters().frames;
    if (text) {
      int head = Math.min(content.length, FrameScanner.TEXT_HEAD);
      onText(Unpooled.wrappedBuffer(content), 0, head);
    } else {
      onBinary();
    }
    if (loop.counters().frames > before) {
      verify(content);
    }
  }

  private void verify(byte[] content) {
    long number = loop.payloads().check(loop.plan().options().topic(number()), content);
    if (number == PayloadCheck.NONE) {
      return;
    }
    loop.counters().verified++;
    boolean inSequence = sequence == PayloadCheck.NONE || number == sequence + 1;
    if (number == PayloadCheck.DIFFERENT || !inSequence) {
      String problem =
          number == PayloadCheck.DIFFERENT ? "differs from another client's" : "is out of sequence";
      loop.onWrong(this, "a message " + problem);
    }
    sequence = Math.max(number, PayloadCheck.NONE);
  }

  private void onSubscribed() {
    if (state == ClientState.OPEN) {
      setState(ClientState.SUBSCRIBED);
      loop.onSubscribed();
    }
  }

  private void onError(String frame) {
    if (!isOpen()) {
      return;
    }
    boolean first = state == ClientState.OPEN;
    if (first) {
      disconnectNow(DisconnectMode.CLOSE);
    } else {
      setState(ClientState.OPEN);
    }
    String code = TextKind.member(frame, "code");
    String message = TextKind.member(frame, "message");
    String outcome = first ? " was rejected with " : " ended with ";
    String topic = loop.plan().options().topic(number);
    loop.onRefused(this, "the subscription to " + topic + outcome + code + ": " + message);
  }

  @Override
  public void onPing(ByteBuf bytes, int start, int count) {
    if (isOpen()) {
      ByteBuf out = loop.out();
      MaskedFrame.write(out, MaskedFrame.PONG, ByteBufUtil.getBytes(bytes, start, count));
      send(out);
    }
  }

  @Override
  public void onClose(int code) {
    if (!isOpen()) {
      return;
    }
    sendClose(code);
    if (link != null) {
      disconnectNow(DisconnectMode.CLOSE);
      loop.onClosed(this, "was closed with " + code);
    }
  }

  private void sendClose(int code) {
    ByteBuf out = loop.out();
    byte[] payload = {(byte) (code >> Byte.SIZE), (byte) code};
    MaskedFrame.write(out, MaskedFrame.CLOSE, code == NO_CODE ? new byte[0] : payload);
    send(out);
  }

  private void send(ByteBuf bytes) {
    try {
      link.send(bytes);
    } catch (IOException e) {
      fail("cannot send: " + e.getMessage());
    }
  }

  private boolean isOpen() {
    return state == ClientState.OPEN || state == ClientState.SUBSCRIBED;
  }

  private void disconnectNow(DisconnectMode mode) {
    Link closing = link;
    reset();
    if (mode == DisconnectMode.RST) {
      closing.reset();
    } else {
      closing.close();
    }
  }

  private void reset() {
    link = null;
    handshake = null;
    if (frames != null) {
      frames.close();
    }
    frames = null;
    setState(ClientState.DISCONNECTED);
  }

  private void setState(ClientState next) {
    loop.counters().move(state, next);
    state = next;
  }
}
