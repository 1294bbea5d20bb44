package io.sluice.gateway.link;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;

/** Node at the other end of a link, for messages of presence or revocations. Any thread. */
public final class LinkPeer {
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
  private final String name;
  private final boolean isRoot;
  private final Predicate<String> reported;
  private final Predicate<String> seen;
  private final Function<byte[], LinkRecord> form;
  private final AtomicInteger waiting = new AtomicInteger();

  // Event loop of the link.
  private final Queue<byte[]> queue = new ArrayDeque<>(0);
  private boolean retrying;

  /**
   * @param name of roots that replace each other, the same
   * @param reported tests topics whose members the leaf may report
   * @param seen tests topics whose members it may see
   * @param form returns the record of a message
   */
  LinkPeer(
      LinkChannel channel,
      String name,
      boolean isRoot,
      Predicate<String> reported,
      Predicate<String> seen,
      Function<byte[], LinkRecord> form) {
    this.channel = channel;
    this.name = name.length() > MAX_NAME ? name.substring(0, MAX_NAME) : name;
    this.isRoot = isRoot;
    this.reported = reported;
    this.seen = seen;
    this.form = form;
  }

  /** Returns the name by which the loss of the node is remembered. */
  public String name() {
    return name;
  }

  /** Returns whether the node is the root. */
  public boolean isRoot() {
    return isRoot;
  }

  /** Returns whether the leaf may report its members of a topic. */
  public boolean mayReport(String topic) {
    return reported.test(topic);
  }

  /** Returns whether the leaf may see the members of a topic. */
  public boolean maySee(String topic) {
    return seen.test(topic);
  }

  /** Creates the node for revocations, which concern no topics. */
  static LinkPeer ofRevocations(LinkChannel channel, String name, boolean isRoot) {
    return new LinkPeer(
        channel, name, isRoot, any -> false, any -> false, LinkRecord.OfRevocations::new);
  }

  /** Passes a message on; closes the link if it is too large. */
  void onMessage(byte[] message, LinkExchange exchange) {
    if (message.length > MAX_BYTES) {
      channel.close("a message of presence or revocations has " + message.length + " bytes");
    } else {
      exchange.onMessage(this, message);
    }
  }

  /** Sends a message; drops it if too many wait. */
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

  /** Returns whether messages wait for the network. */
  public boolean isFull() {
    return waiting.get() > FULL;
  }

  /** Closes the link with a reason. */
  public void close(String why) {
    channel.execute(() -> channel.close(why));
  }
}
