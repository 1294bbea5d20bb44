package io.sluice.loadtest.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * One client of the load generator: connects, subscribes, counts messages and answers pings and
 * closes. Bound to its event loop.
 */
final class Client implements Link.Listener, FrameScanner.Listener {
  private static final int NORMAL = 1000;
  private static final int NO_CODE = 1005;

  private final ClientLoop loop;
  private final int number;
  private ClientState state = ClientState.AWAY;
  private Link link;
  private ClientHandshake handshake;
  private FrameScanner frames;
  private int attempt;

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

  /** Whether it is connecting or not yet subscribed. */
  boolean isUnderWay() {
    return link != null && state != ClientState.SUBSCRIBED;
  }

  /** Waits for the connection rate. */
  void queue() {
    become(ClientState.WAITING);
  }

  /** Connects a disconnected or waiting client. */
  void connect(Connector links, InetSocketAddress to, InetSocketAddress from) {
    attempt++;
    become(ClientState.CONNECTING);
    try {
      link = links.connect(this, to, from);
    } catch (IOException e) {
      onEnd(e);
    }
  }

  /** Disconnects and stays disconnected. */
  void drop(Drop how) {
    if (link == null) {
      become(ClientState.AWAY);
      return;
    }
    if (how == Drop.CLOSE && isOpen()) {
      sendClose(NORMAL);
    }
    if (link != null) {
      leave(how);
    }
  }

  @Override
  public void onConnected() {
    become(ClientState.OPENING);
    handshake = new ClientHandshake(loop.plan().options().encoding());
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
    forget();
    if (opened) {
      loop.onClosed(this, "the connection ended without a close frame" + reason);
    } else if (connected) {
      loop.onFailed(this, "the connection ended within the handshake" + reason);
    } else {
      loop.onFailed(this, "cannot connect to " + loop.plan().options().url().authority() + reason);
    }
  }

  // TLS wraps what is wrong in words that say nothing, and some failures have no words at all.
  private static String reason(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
  }

  /** Closes the connection because of a failure. */
  void fail(String why) {
    leave(Drop.CLOSE);
    loop.onFailed(this, why);
  }

  private void endHandshake(ByteBuf behind) {
    String fault = handshake.fault(behind);
    if (fault != null) {
      fail(fault);
      return;
    }
    handshake = null;
    frames = new FrameScanner();
    become(ClientState.OPEN);
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
      case GAP -> loop.counters().gaps++;
      default -> {
        // The gateway's other news is of no use here.
      }
    }
  }

  private void onSubscribed() {
    if (state == ClientState.OPEN) {
      become(ClientState.SUBSCRIBED);
      loop.onSubscribed();
    }
  }

  private void onError(String frame) {
    if (!isOpen()) {
      return;
    }
    boolean first = state == ClientState.OPEN;
    if (first) {
      leave(Drop.CLOSE);
    } else {
      become(ClientState.OPEN);
    }
    String code = TextKind.member(frame, "code");
    String message = TextKind.member(frame, "message");
    String what = first ? " was refused with " : " ended with ";
    String topic = loop.plan().options().topic(number);
    loop.onRefused(this, "the subscription to " + topic + what + code + ": " + message);
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
      leave(Drop.CLOSE);
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

  private void leave(Drop how) {
    Link left = link;
    forget();
    if (how == Drop.RST) {
      left.reset();
    } else {
      left.close();
    }
  }

  private void forget() {
    link = null;
    handshake = null;
    frames = null;
    become(ClientState.AWAY);
  }

  private void become(ClientState next) {
    loop.counters().move(state, next);
    state = next;
  }
}
