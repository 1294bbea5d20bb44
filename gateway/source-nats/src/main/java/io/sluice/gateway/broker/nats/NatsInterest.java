package io.sluice.gateway.broker.nats;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.broker.nats.StreamFeed.Position;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Interest of the node in a topic or pattern. Feeds of successive connections serve it. Bound to
 * the control thread, except where a method states otherwise.
 */
final class NatsInterest implements Broker.Consumer {
  private static final Logger log = LoggerFactory.getLogger(NatsInterest.class);
  private static final DeliveryInfo ORDINARY = DeliveryInfo.of(Broker.NO_SEQUENCE);

  private final InterestKey key;
  private final TopicListener listener;
  private final NatsReader reader;
  private final Consumer<NatsInterest> onClose;

  /** Null while there is none. */
  private NatsFeed feed;

  /** Place that earlier feeds have reached in the stream; null before the first one. */
  private volatile Position position;

  /** Latest place of clients that the server has confirmed, which may be ahead; or null. */
  private volatile Position confirmed;

  private volatile boolean wasActive;
  private boolean closed;

  NatsInterest(
      InterestKey key,
      TopicListener listener,
      NatsReader.Rules rules,
      Consumer<NatsInterest> onClose) {
    this.key = key;
    this.listener = listener;
    this.reader = new NatsReader(rules, key);
    this.onClose = onClose;
  }

  InterestKey key() {
    return key;
  }

  /** Returns the topic or pattern. */
  String pattern() {
    return key.topic();
  }

  TopicListener listener() {
    return listener;
  }

  /** Returns the place in the stream behind which the next feed begins, or null. Any thread. */
  Position position() {
    return position;
  }

  /** Returns the latest place of clients that the server has confirmed, or null. Any thread. */
  Position confirmed() {
    return confirmed;
  }

  /** Records a place of clients that the server has confirmed. */
  void onConfirmed(Position place) {
    confirmed = place.orLater(confirmed);
  }

  /** Returns whether it has ever been active. Any thread. */
  boolean wasActive() {
    return wasActive;
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns the current feed, or null. */
  NatsFeed feed() {
    return feed;
  }

  /** Begins to receive the messages of a feed. */
  void begin(NatsFeed opened) {
    feed = opened;
    feed.begin();
  }

  /** Ends the current feed; the next one continues behind it. */
  void retire() {
    if (feed != null) {
      feed.end();
      if (feed instanceof StreamFeed stream) {
        position = stream.position();
      }
      feed = null;
    }
  }

  /** Notifies the listener that messages arrive, unless a stream keeps its place anyway. */
  void onActive() {
    if (!wasActive || feed instanceof CoreFeed) {
      listener.onActive(wasActive);
      wasActive = true;
    }
  }

  void refuse(ErrorCode code, String why) {
    retire();
    closed = true;
    listener.onRefused(code, why);
  }

  @Override
  public void close() {
    closed = true;
    retire();
    onClose.accept(this);
  }

  /**
   * Passes a message to the listener. Thread of the feed, one call at a time.
   *
   * @param timeMs time at which the server accepted it, in milliseconds since 1970
   * @return the reason of the gap that was reported instead, or null
   */
  GapReason deliver(io.nats.client.Message message, long identity, long timeMs) {
    try {
      Message read = reader.read(message, identity, timeMs);
      if (read != null && listener.needsFields()) {
        listener.onMessage(read, ORDINARY, NatsReader.fields(message, timeMs));
      } else if (read != null) {
        listener.onMessage(read, ORDINARY);
      }
      return null;
    } catch (NatsReader.Refused e) {
      return missed(e.reason(), DeliveryInfo.of(identity));
    } catch (RuntimeException | OutOfMemoryError e) {
      log.atError().addKeyValue("topic", key).setCause(e).log("broker.fault");
      return missed(GapReason.OVERLOAD, DeliveryInfo.of(identity));
    }
  }

  /** Notifies the listener that messages up to one are missing. Thread of the feed. */
  GapReason missed(GapReason reason, DeliveryInfo delivery) {
    listener.onMissed(reason, delivery);
    return reason;
  }

  /** Notifies the listener that messages are missing. Thread of the feed. */
  void missed(GapReason reason) {
    listener.onMissed(reason, ORDINARY);
  }

  /** Notifies the listener that messages of a stream up to a sequence are missing. */
  void missed(GapReason reason, long sequence) {
    listener.onMissed(reason, DeliveryInfo.of(StreamPlace.id(0, sequence)));
  }
}
