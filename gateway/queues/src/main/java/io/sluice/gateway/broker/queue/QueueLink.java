package io.sluice.gateway.broker.queue;

import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.provider.QueueSession;
import jakarta.jms.JMSException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** One connection for queues, from its start to its loss. Any thread. */
interface QueueLink {
  /** Kinds of calls. Each has its own threads, so that none delays another kind. */
  enum Kind {
    OPEN,
    /** Acknowledgements, returns and requests. */
    SETTLE,
    /** Settlements that send messages, which a full destination blocks. */
    SEND,
    /** Closings, which wait for the listeners of their sessions. */
    CLOSE,
    /** Reads of messages without removing them. */
    BROWSE,
    /** Requests that concern subscriptions. */
    REQUEST,
    /** Transactions without acknowledgements. */
    TRANSACTION
  }

  /**
   * Runs a task that may wait for the broker. A task of a lost connection may never run.
   *
   * @param user the {@linkplain io.sluice.gateway.broker.Requester#user user}, who takes turns with
   *     others
   */
  void call(Kind kind, String user, Runnable task);

  /** Task that sends messages. Some threads are always left to other destinations. */
  interface SendTask extends Runnable {
    /** Returns the destinations in words, none of which may be full. */
    Set<String> destinations();

    /** The task does not run, because others are blocked at a destination. */
    void onBlocked(String why);

    /** Returns the explanation of a task that the broker blocks at one of its destinations. */
    static String blocked(Set<String> destinations) {
      return "the broker did not respond in time: %s, or the broker's memory or disk, may be full"
          .formatted(String.join(", ", new TreeSet<>(destinations)));
    }
  }

  /** Opens a consumer of a queue or a subscription; waits for the broker. */
  QueueSession open(QueueRequest request, QueueSession.Listener listener) throws JMSException;

  /** Passes the messages of a queue to a consumer; waits for the broker. */
  void browse(QueueRequest request, Browse.Consumer consumer) throws JMSException;

  /** Returns durable subscriptions; waits for the broker. */
  List<DurableState> list(String principal, int max) throws JMSException;

  /** Removes a durable subscription; waits for the broker. */
  void delete(TopicSubscription subscription) throws JMSException;

  /** Deletes unused durable subscriptions; waits for the broker. */
  void expire() throws JMSException;

  /** Publishes messages in one transaction; waits for the broker. */
  void publish(List<Publication> publications) throws JMSException;

  /** Returns the queue of rejected messages, in the provider's syntax. */
  String deadLetter();

  /** Returns whether the broker may have delivered a message before and lost its count. */
  boolean isSuspect(long timeMs);
}
