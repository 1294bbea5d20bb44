package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.Message;

/** Receives what one interest delivers. */
public interface TopicListener {
  /**
   * A message arrived. Called on a thread of the JMS client, one call at a time; never blocks.
   *
   * @param sequence the broker's number of the message, rising in the order in which the broker
   *     accepted messages, or {@link Broker#NO_SEQUENCE}, also for a message whose JMS priority is
   *     above the lowest one so far
   */
  void onMessage(Message message, long sequence);

  /** A message was not forwarded. Called like {@link #onMessage}, in its place. */
  void onMissed(GapReason reason, long sequence);

  /**
   * The consumer stands: what is published from now on arrives. Called on the control thread.
   *
   * @param again true if it stood before, so that messages may have been missed
   */
  void onStanding(boolean again);

  /**
   * The broker refuses this topic, or with {@link ErrorCode#BROKER_UNAVAILABLE} could not serve it
   * just now; the interest is closed. Called on the control thread.
   */
  void onRefused(ErrorCode code, String why);
}
