package io.sluice.gateway.stomp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ids of the subscriptions of all clients of the node, each with a number. Clients with equal ids
 * have equal numbers, and share the bytes of messages. An id stays as long as a subscription uses
 * it. For any thread.
 */
final class SubscriptionIds {
  /** Value of the header {@code ack} of a topic's messages: there is nothing to acknowledge. */
  static final String TOPIC_ACK = "topic";

  private static final long MAX_REF = 0xFFFF_FFFFL;
  private static final byte[] NONE = {};

  /** Use of an id, which determines the headers of its messages. */
  enum Use {
    /** Messages of a topic. */
    TOPIC,
    /** Messages of a topic for a client that acknowledges them. */
    ACKNOWLEDGED_TOPIC,
    /** Messages of the topic that a pattern includes. */
    PARENT,
    /** Messages of a topic for a client that has given no id. */
    NAMELESS,
    /** The same for the topic that a pattern includes. */
    NAMELESS_PARENT,
    /** Messages of a queue or a durable or shared subscription. */
    CONSUMER
  }

  private record Key(String id, Use use) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int order = id.compareTo(other.id);
      return order == 0 ? use.compareTo(other.use) : order;
    }
  }

  /** Id that several subscriptions may use. */
  static final class SharedId {
    private final long ref;
    private final String text;
    private int users;

    private SharedId(long ref, String text) {
      this.ref = ref;
      this.text = text;
    }

    /** Returns the number. */
    long ref() {
      return ref;
    }

    /** Returns the id, one object for all users. */
    String text() {
      return text;
    }
  }

  private final AtomicLong next = new AtomicLong();
  private final Map<Key, SharedId> byKey = new ConcurrentHashMap<>();

  /** Headers of messages by number, for each version. */
  private final Map<Long, byte[][]> headers = new ConcurrentHashMap<>();

  /**
   * Returns an id with its number, which the caller releases.
   *
   * @param id id of the subscription, or its destination if it has none
   */
  SharedId acquire(String id, Use use) {
    return byKey.compute(new Key(id, use), this::acquired);
  }

  private SharedId acquired(Key key, SharedId known) {
    SharedId used = known == null ? newId(key) : known;
    used.users++;
    return used;
  }

  private SharedId newId(Key key) {
    byte[][] texts = headers(key);
    long ref = next.getAndIncrement() & MAX_REF;
    while (headers.putIfAbsent(ref, texts) != null) {
      ref = next.getAndIncrement() & MAX_REF;
    }
    return new SharedId(ref, key.id);
  }

  private static byte[][] headers(Key key) {
    StompVersion[] versions = StompVersion.values();
    byte[][] texts = new byte[versions.length][];
    for (StompVersion version : versions) {
      byte[] text = header(key, version).getBytes(StandardCharsets.UTF_8);
      int at = version.ordinal();
      texts[at] = at > 0 && Arrays.equals(texts[at - 1], text) ? texts[at - 1] : text;
    }
    return texts;
  }

  private static String header(Key key, StompVersion version) {
    String subscription = "subscription:" + StompEscapes.escape(key.id, version) + "\n";
    return switch (key.use) {
      case TOPIC -> subscription;
      case ACKNOWLEDGED_TOPIC, PARENT -> subscription + "ack:" + TOPIC_ACK + "\n";
      case NAMELESS, NAMELESS_PARENT, CONSUMER -> "";
    };
  }

  /** Releases an id. */
  void release(String id, Use use) {
    byKey.computeIfPresent(new Key(id, use), this::released);
  }

  private SharedId released(Key key, SharedId entry) {
    entry.users--;
    if (entry.users > 0) {
      return entry;
    }
    headers.remove(entry.ref);
    return null;
  }

  /** Returns the headers of a number's messages, complete lines; empty if it is not in use. */
  byte[] headers(long ref, StompVersion version) {
    byte[][] texts = headers.get(ref);
    return texts == null ? NONE : texts[version.ordinal()];
  }

  /** Returns the number of ids in use. */
  int size() {
    return byKey.size();
  }
}
