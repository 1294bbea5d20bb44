package io.sluice.gateway.shard;

import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.MessageForm;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.query.SubscriptionFigures;

/** State of one client's subscription. Bound to the event loop of the client's shard. */
final class SubscriptionState implements Subscription {
  private static final int MS_PER_SECOND = 1_000;

  /** Value of {@link #dictionary}: the next message has none. */
  static final long NO_MESSAGE = -1;

  final Subscriber subscriber;
  final SubscribedTopic topic;
  final long ref;
  final Start start;
  final Delivery delivery;

  /** True if its frames carry its ref, so that it cannot share the frames of others. */
  final boolean tagged;

  /** State of a paced subscription; null if it is live or not admitted. */
  Paced paced;

  /** True while the {@link Pacer} has it in a queue. */
  boolean due;

  /** Index in the list of waiting, paced or live subscriptions. */
  int index;

  /** Offset of the message that the client retains as dictionary, or {@link #NO_MESSAGE}. */
  long dictionary = NO_MESSAGE;

  /** Start of the subscription, unsigned Unix seconds: an int keeps the object small. */
  final int sinceSeconds;

  /** Time of the latest gap, unsigned Unix seconds; only if there are gaps. */
  private int lastGapSeconds;

  /** Number of gaps sent, up to the largest byte. */
  private byte gaps;

  /** True once the reply was sent and messages follow. */
  boolean admitted;

  SubscriptionState(
      Subscriber subscriber,
      SubscribedTopic topic,
      long ref,
      boolean tagged,
      Start start,
      Delivery delivery,
      long nowMs) {
    this.sinceSeconds = (int) (nowMs / MS_PER_SECOND);
    this.subscriber = subscriber;
    this.topic = topic;
    this.ref = ref;
    this.tagged = tagged;
    this.start = start;
    this.delivery = delivery;
  }

  @Override
  public InterestKey key() {
    return topic.key;
  }

  @Override
  public int source() {
    return topic.sourceNumber();
  }

  @Override
  public long provenMs() {
    if (!topic.source().provesDelivery()) {
      return Long.MAX_VALUE;
    }
    return paced == null ? topic.provenMs() : Math.min(topic.provenMs(), paced.provenMs());
  }

  @Override
  public boolean isTagged() {
    return tagged;
  }

  @Override
  public Delivery delivery() {
    return delivery;
  }

  @Override
  public void end() {
    topic.end(this);
  }

  /** Counts a gap sent to the client. */
  void countGap(long nowMs) {
    lastGapSeconds = (int) (nowMs / MS_PER_SECOND);
    if (gaps < Byte.MAX_VALUE) {
      gaps++;
    }
  }

  @Override
  public SubscriptionFigures figures() {
    TopicLog log = topic.log();
    long position = position();
    long lag = log == null || !admitted ? 0 : Math.max(0, log.last() - position);
    LogEntry latest = log == null || !admitted ? null : log.at(position);
    boolean atGap = latest != null && latest.isGap();
    return new SubscriptionFigures(
        key(), admitted, position, atGap, lag, gaps, toMs(lastGapSeconds), toMs(sinceSeconds));
  }

  private static long toMs(int unsignedSeconds) {
    return Integer.toUnsignedLong(unsignedSeconds) * MS_PER_SECOND;
  }

  private long position() {
    if (!admitted) {
      return 0;
    }
    return paced == null ? topic.offset() : paced.position();
  }

  @Override
  public int gaps() {
    return gaps;
  }

  /** Returns the ref in its gap frames. */
  long tag() {
    return tagged ? ref : ClientFrame.NO_REF;
  }

  /** Returns whether the frames depend on the latest message that the client has. */
  boolean isStream() {
    return subscriber.inflates() || subscriber.window() != null && !tagged;
  }

  /**
   * Returns whether it omits messages that have expired. With the protocol of Sluice, a client
   * would report an offset that is left out as a gap.
   */
  boolean omitsExpired() {
    return subscriber.encoding().isOpen();
  }

  /**
   * Returns the form that is encoded in advance. Subscriptions that {@linkplain #isStream depend}
   * on the latest message also receive other forms.
   */
  MessageForm form() {
    Encoding encoding = subscriber.encoding();
    if (subscriber.inflates()) {
      boolean hasAll = delivery.intervalNs() == 0; // a rate skips messages
      return MessageForm.framed(encoding.isBinary(), hasAll);
    }
    return tagged ? MessageForm.tagBase(encoding) : MessageForm.of(encoding);
  }

  @Override
  public long ref() {
    return ref;
  }
}
