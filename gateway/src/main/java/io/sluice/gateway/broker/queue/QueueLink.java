package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.provider.QueueSession;
import jakarta.jms.JMSException;
import java.util.List;
import java.util.concurrent.Future;

/** One connection for queues, from its start to its loss. Any thread. */
interface QueueLink {
  /** Kinds of calls of consumers. Each has its own threads, so that none delays another kind. */
  enum Kind {
    OPEN,
    /** Acknowledgements, returns and requests. */
    SETTLE,
    /** Settlements that send messages, which a full destination blocks. */
    SEND,
    /** Closings, which wait for the listeners of their sessions. */
    CLOSE
  }

  /** Runs a task that may wait for the broker. A task of a lost connection may never run. */
  void call(Kind kind, Runnable task);

  /** Opens a consumer of a queue or a subscription; waits for the broker. */
  QueueSession open(QueueRequest request, QueueSession.Listener listener) throws JMSException;

  /**
   * Runs a task that {@linkplain #browse browses}. Returns false if too many of them run or wait. A
   * task of a lost connection may never run.
   */
  boolean callBrowse(Runnable task);

  /** Passes the messages of a queue to a consumer; waits for the broker. */
  void browse(QueueRequest request, Browse.Consumer consumer) throws JMSException;

  /**
   * Runs a task that {@linkplain #list lists}, {@linkplain #delete deletes} or {@linkplain #expire
   * expires} subscriptions. Returns false if too many of them run or wait. A task of a lost
   * connection may never run.
   */
  boolean callRequest(Runnable task);

  /** Returns durable subscriptions; waits for the broker. */
  List<DurableState> list(String principal, int max) throws JMSException;

  /** Removes a durable subscription; waits for the broker. */
  void delete(TopicSubscription subscription) throws JMSException;

  /** Deletes unused durable subscriptions; waits for the broker. */
  void expire() throws JMSException;

  /**
   * Runs a task that {@linkplain #publish publishes} a transaction. Its cancellation interrupts it.
   * A task of a lost connection may never run.
   */
  Future<?> callTransaction(Runnable task);

  /** Publishes messages in one transaction; waits for the broker. */
  void publish(List<Publication> publications) throws JMSException;

  /** Returns the queue of rejected messages, in the provider's syntax. */
  String deadLetter();

  /** Returns whether the broker may have delivered a message before and lost its count. */
  boolean isSuspect(long timeMs);
}
