package io.sluice.gateway.broker;

import io.sluice.gateway.broker.selector.MessageFields;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;

/** Receiver of the messages of one non-durable interest. */
public interface TopicListener {
  /** Returns the key of the first user; empty for the node. */
  default String user() {
    return "";
  }

  /** A message arrived. Called on a thread of the JMS client, one call at a time; never blocks. */
  void onMessage(Message message, DeliveryInfo delivery);

  /**
   * Returns whether messages need {@link MessageFields}, because a selector tests them. Any thread.
   */
  default boolean needsFields() {
    return false;
  }

  /**
   * Like {@link #onMessage(Message, DeliveryInfo)}.
   *
   * @param fields null if they were not needed when the message arrived
   */
  default void onMessage(Message message, DeliveryInfo delivery, MessageFields fields) {
    onMessage(message, delivery);
  }

  /**
   * Like {@link #onMissed(GapReason, DeliveryInfo)}.
   *
   * @param fields null if they are unknown, or were not needed when the message arrived
   */
  default void onMissed(GapReason reason, DeliveryInfo delivery, MessageFields fields) {
    onMissed(reason, delivery);
  }

  /**
   * A message was not forwarded. Called like {@link #onMessage}, instead of it.
   *
   * @param delivery of a source with offsets: its number is the identity of the latest message that
   *     is missing, without which a position before it seems complete
   */
  void onMissed(GapReason reason, DeliveryInfo delivery);

  /**
   * The source has offsets: identities of messages are those of {@link StreamPlace}, each partition
   * arrives in order and once, and a later loss of the connection leaves no gap. Called on the
   * control thread before {@link #onActive}; again if the stream's number changes or messages that
   * arrived were removed, before the next message. This is a gap without {@link #onMissed}.
   * Messages before the place do not arrive.
   */
  default void onStream(StreamPlace start) {}

  /**
   * Like {@link #onStream}, but replays and snapshots alone contain the messages up to {@link
   * #onLogRead}, at which clients receive the gap. Called like {@link #onMessage}.
   */
  default void onLog(StreamPlace start) {}

  /** All messages that the source had stored have arrived. Called like {@link #onMessage}. */
  default void onLogRead() {}

  /** Returns whether a source with offsets must pause before the next message. Any thread. */
  default boolean isFull() {
    return false;
  }

  /**
   * The consumer is active: messages published from now on arrive. Called on the control thread.
   *
   * @param again true if it was active before, so that messages may have been missed
   */
  void onActive(boolean again);

  /**
   * The broker refuses this topic; with {@link ErrorCode#BROKER_UNAVAILABLE} only at the moment.
   * The interest is closed. Called on the control thread.
   */
  void onRefused(ErrorCode code, String why);
}
