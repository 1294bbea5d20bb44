package io.sluice.gateway.link;

import io.sluice.gateway.peer.LinkExchange;
import io.sluice.gateway.peer.LinkedNode;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;

/** Messages of presence or revocations over one link. Any thread, except where stated. */
final class LinkPeer implements LinkedNode {
  /** Capability of nodes that exchange presence. */
  static final String PRESENCE = "presence";

  /** Capability of nodes that exchange revocations. */
  static final String REVOCATIONS = "revocations";

  /** Waiting messages above which the link is full. */
  private static final int FULL = 16;

  /** Waiting messages above which further ones are dropped. */
  private static final int MAX_WAITING = 64;

  /** Maximum bytes of a message. */
  private static final int MAX_BYTES = 32 * 1024;

  private static final long RETRY_MS = 5;
  private static final int MAX_NAME = 128;

  private final LinkChannel channel;
  private final LinkExchange exchange;
  private final String name;
  private final boolean isRoot;
  private final Predicate<String> reported;
  private final Predicate<String> seen;
  private final Function<byte[], LinkRecord> form;
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile boolean stopped;

  // Event loop of the link.
  private final Queue<byte[]> queue = new ArrayDeque<>(0);
  private boolean retrying;

  private LinkPeer(
      LinkChannel channel,
      LinkExchange exchange,
      String name,
      boolean isRoot,
      Predicate<String> reported,
      Predicate<String> seen,
      Function<byte[], LinkRecord> form) {
    this.channel = channel;
    this.exchange = exchange;
    this.name = name.length() > MAX_NAME ? name.substring(0, MAX_NAME) : name;
    this.isRoot = isRoot;
    this.reported = reported;
    this.seen = seen;
    this.form = form;
  }

  /**
   * Creates the node for presence.
   *
   * @param name of roots that replace each other, the same
   * @param reported tests topics whose members the leaf may report
   * @param seen tests topics whose members it may see
   */
  static LinkPeer ofPresence(
      LinkChannel channel,
      LinkExchange presence,
      String name,
      boolean isRoot,
      Predicate<String> reported,
      Predicate<String> seen) {
    return new LinkPeer(
        channel, presence, name, isRoot, reported, seen, LinkRecord.OfPresence::new);
  }

  /** Creates the node for revocations, which concern no topics. */
  static LinkPeer ofRevocations(
      LinkChannel channel, LinkExchange revocations, String name, boolean isRoot) {
    return new LinkPeer(
        channel,
        revocations,
        name,
        isRoot,
        any -> false,
        any -> false,
        LinkRecord.OfRevocations::new);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean isRoot() {
    return isRoot;
  }

  @Override
  public boolean mayReport(String topic) {
    return reported.test(topic);
  }

  @Override
  public boolean maySee(String topic) {
    return seen.test(topic);
  }

  /** Starts the exchange. Event loop of the link, once received messages are passed to this. */
  void open() {
    exchange.onLinked(this);
  }

  /** Ends the exchange. Event loop of the link. */
  void onClosed(String why) {
    stopped = why.equals(LinkChannel.STOPS);
    exchange.onUnlinked(this);
  }

  /** Passes a message on; closes the link if it is too large. Event loop of the link. */
  void onMessage(byte[] message) {
    if (message.length > MAX_BYTES) {
      channel.close("a message of presence or revocations has " + message.length + " bytes");
    } else {
      exchange.onLinkMessage(this, message);
    }
  }

  /** Sends a message; drops it if too many wait. */
  @Override
  public void send(byte[] message) {
    if (waiting.incrementAndGet() > MAX_WAITING) {
      waiting.decrementAndGet();
      return;
    }
    channel.execute(
        () -> {
          queue.add(message);
          flush();
        });
  }

  private void flush() {
    while (!queue.isEmpty() && !channel.isFull()) {
      channel.send(form.apply(queue.poll()));
      waiting.decrementAndGet();
    }
    if (!queue.isEmpty() && !retrying && !channel.isClosed()) {
      retrying = true;
      channel.later(
          () -> {
            retrying = false;
            flush();
          },
          RETRY_MS);
    }
  }

  @Override
  public boolean isFull() {
    return waiting.get() > FULL;
  }

  @Override
  public boolean hasStopped() {
    return stopped;
  }

  @Override
  public void close(String why) {
    channel.execute(() -> channel.close(why));
  }

  @Override
  public String toString() {
    return name;
  }
}
