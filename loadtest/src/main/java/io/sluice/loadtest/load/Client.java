package io.sluice.loadtest.load;

import io.netty.buffer.ByteBuf;
import io.sluice.loadtest.load.dialect.Conversation;
import io.sluice.loadtest.load.dialect.Handshake;
import io.sluice.loadtest.load.frame.PayloadCheck;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.HdrHistogram.Histogram;

/** Client of the load generator. It connects, subscribes and counts messages. Bound to its loop. */
final class Client implements Link.Listener, Conversation.Listener {
  private static final int DIGITS = 3;

  private final ClientLoop loop;
  private final int number;
  private final Histogram latencies;
  private ClientState state = ClientState.DISCONNECTED;
  private Link link;
  private Handshake handshake;
  private Conversation conversation;
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
    this.latencies = loop.plan().isMeasured(number) ? new Histogram(DIGITS) : null;
  }

  int number() {
    return number;
  }

  /** Returns the recorded latencies in microseconds, or null if the client is not measured. */
  Histogram latencies() {
    return latencies;
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
      ByteBuf out = loop.out();
      conversation.end(out);
      if (out.isReadable()) {
        send(out);
      }
    }
    if (link != null) {
      disconnectNow(mode);
    }
  }

  @Override
  public void onConnected() {
    setState(ClientState.OPENING);
    handshake = loop.plan().dialect().handshake(topic());
    ByteBuf out = loop.out();
    handshake.writeRequest(out);
    send(out);
  }

  @Override
  public void onBytes(ByteBuf in) {
    if (state == ClientState.OPENING && handshake.read(in)) {
      endHandshake(in);
    }
    if (isOpen()) {
      String fault = conversation.read(in, loop.scratch());
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
    conversation = loop.plan().dialect().conversation(handshake, topic(), this);
    sequence = PayloadCheck.NONE;
    handshake = null;
    setState(ClientState.OPEN);
    ByteBuf out = loop.out();
    conversation.begin(out);
    if (out.isReadable()) {
      send(out);
    }
  }

  private String topic() {
    return loop.plan().options().topic(number);
  }

  @Override
  public ByteBuf out() {
    return loop.out();
  }

  @Override
  public void onData(long payloadBytes) {
    loop.counters().bytes += payloadBytes;
  }

  @Override
  public void onMessage(ByteBuf bytes, int start, int count) {
    loop.counters().frames++;
    if (loop.sequences() != null) {
      sequence = loop.sequences().onMessage(sequence, latencies, bytes, start, count);
    }
  }

  @Override
  public void onInflated(long bytes) {
    loop.counters().inflatedBytes += bytes;
  }

  @Override
  public void onGap() {
    loop.counters().gaps++;
    sequence = PayloadCheck.NONE;
  }

  @Override
  public void onContent(byte[] content) {
    if (isOpen()) {
      verify(content);
    }
  }

  private void verify(byte[] content) {
    long number = loop.payloads().check(topic(), content);
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

  @Override
  public void onSubscribed() {
    if (state == ClientState.OPEN) {
      setState(ClientState.SUBSCRIBED);
      loop.onSubscribed();
    }
  }

  @Override
  public void onRefused(String reason) {
    if (!isOpen()) {
      return;
    }
    boolean first = state == ClientState.OPEN;
    if (first) {
      disconnectNow(DisconnectMode.CLOSE);
    } else {
      setState(ClientState.OPEN);
    }
    String outcome = first ? " was rejected with " : " ended with ";
    loop.onRefused(this, "the subscription to " + topic() + outcome + reason);
  }

  @Override
  public void onClosed(String reason) {
    if (isOpen()) {
      disconnectNow(DisconnectMode.CLOSE);
      loop.onClosed(this, reason);
    }
  }

  @Override
  public void send(ByteBuf bytes) {
    if (link == null) {
      return;
    }
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
    if (conversation != null) {
      conversation.close();
    }
    conversation = null;
    setState(ClientState.DISCONNECTED);
  }

  private void setState(ClientState next) {
    loop.counters().move(state, next);
    state = next;
  }
}
