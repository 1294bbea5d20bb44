package io.sluice.gateway.protocol;

import java.util.Comparator;

/**
 * Key of an interest. Subscriptions with equal keys share one consumer at the broker, one log and
 * its offsets. Immutable, for any thread.
 *
 * <p>Comparable for hash maps: they find keys with equal hash codes, which a client can choose, by
 * their order. Otherwise they would compare all of them.
 *
 * @param topic topic or pattern
 * @param selector JMS selector, compared letter for letter; null for all messages
 */
public record InterestKey(String topic, String selector) implements Comparable<InterestKey> {
  private static final Comparator<InterestKey> ORDER =
      Comparator.comparing(InterestKey::topic)
          .thenComparing(InterestKey::selector, Comparator.nullsFirst(Comparator.naturalOrder()));

  /** Separates topic and selector in a name; no valid topic contains it. */
  private static final char SEPARATOR = '\n';

  /** Returns the key for all messages of a topic or pattern. */
  public static InterestKey of(String topic) {
    return new InterestKey(topic, null);
  }

  /** Returns the key of a {@link #name}. */
  public static InterestKey ofName(String name) {
    int end = name.indexOf(SEPARATOR);
    return end < 0 ? of(name) : new InterestKey(name.substring(0, end), name.substring(end + 1));
  }

  /** Returns topic and selector as one text, for messages between nodes. */
  public String name() {
    return selector == null ? topic : topic + SEPARATOR + selector;
  }

  /** Returns whether only selected messages belong to the interest. */
  public boolean hasSelector() {
    return selector != null;
  }

  @Override
  public int compareTo(InterestKey other) {
    return ORDER.compare(this, other);
  }

  /** Returns the topic and the selector, for logs. */
  @Override
  public String toString() {
    return selector == null ? topic : topic + " where " + selector;
  }
}
