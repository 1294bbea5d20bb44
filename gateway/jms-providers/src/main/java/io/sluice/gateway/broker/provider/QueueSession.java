package io.sluice.gateway.broker.provider;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;
import java.util.List;

/**
 * Session of one consumer of a queue, which receives a message only on request. One thread at a
 * time; each method may wait for the broker.
 *
 * <p>The caller settles each message once, and only messages of this session. After an exception of
 * any method except {@link #cancel} it closes the session.
 */
public interface QueueSession {
  /** Receiver of the messages of a session. Called on any thread, one call at a time. */
  interface Listener {
    /**
     * A message has arrived. Its content is readable on any thread.
     *
     * @param undecodable the failure to decode the content; null if it is readable
     */
    void onMessage(Message message, Throwable undecodable);
  }

  /** Sender of the messages of a transaction. Called by the thread of {@link #transact}. */
  interface Sends {
    /** Sends the messages on the session of the transaction, and does not end it. */
    void send(Session session) throws JMSException;
  }

  /** Requests one message. A request that is repeated before it has arrived replaces the former. */
  void request() throws JMSException;

  /** Withdraws a request. A message in transit still arrives. */
  void cancel() throws JMSException;

  /** Removes messages from the queue; returns when the broker has stored that. */
  void acknowledge(List<Message> messages) throws JMSException;

  /**
   * Removes messages from the queue and sends others, all or nothing; returns when the broker has
   * stored that.
   *
   * @param acknowledged at least one message
   */
  void transact(List<Message> acknowledged, Sends sends) throws JMSException;

  /**
   * Moves a message to another queue.
   *
   * @param deadLetter the queue, in the provider's syntax
   * @param queue name of the original queue, for the message's properties
   */
  void reject(Message message, String deadLetter, String queue) throws JMSException;

  /**
   * Returns messages to the queue and counts them as delivered. Also returns messages that have
   * arrived and are not in the list; the request ends, so that none arrives before the next one.
   *
   * @param messages all messages that the client has received and that are not settled
   */
  void release(List<Message> messages) throws JMSException;

  /** Returns whether the message may have been delivered before. */
  boolean isRedelivered(Message message) throws JMSException;

  /**
   * Returns whether the broker has delivered the message as often as it may. Such a message is
   * rejected; brokers that count themselves never deliver one.
   */
  default boolean isExhausted(Message message) {
    return false;
  }

  /** Returns the maximum number of unsettled messages. Any thread. */
  default int maxPending() {
    return Integer.MAX_VALUE;
  }

  /** Returns whether the broker or the client has closed the session. Never waits. Any thread. */
  boolean isClosed();

  /** Returns why no further message can be received; null if there was no failure. Any thread. */
  default Throwable failure() {
    return null;
  }

  /**
   * Releases messages and closes the session; never fails.
   *
   * @param messages as for {@link #release}
   */
  void close(List<Message> messages);
}
