package io.sluice.gateway.broker;

/** The broker as the hub uses it. Control thread, but where a method says otherwise. */
public interface Broker {
  /** Sequence of messages and canaries that the broker does not number. */
  long NO_SEQUENCE = Long.MIN_VALUE;

  /** One consumer at the broker. */
  interface Consumer {
    /** Closes the consumer. Control thread. */
    void close();

    /**
     * Sequence of the message that is being read at the moment and has not been passed to the
     * listener, or {@link Long#MAX_VALUE} if there is none; {@link Long#MIN_VALUE} from the moment
     * at which the broker closes the consumer until it is open again, or while messages of it wait
     * for those of other consumers. Any thread.
     */
    default long readingSequence() {
      return Long.MAX_VALUE;
    }
  }

  /** Begins to connect; returns at once. Any thread. */
  void start();

  /** Closes everything. */
  void stop();

  /** The connection's state in words, such as why there is none. Any thread. */
  default String state() {
    return "not connected";
  }

  /** Adds an interest; the listener hears when it stands, perhaps within this call. */
  Consumer open(String pattern, TopicListener listener);

  /**
   * Adds an interest for which the broker keeps what comes while the node is away; the listener
   * hears when it stands.
   */
  Consumer openDurable(String pattern, DurableListener listener);

  /**
   * Whether what was kept for a durable pattern comes in the order in which the broker took it.
   * Otherwise only the messages of one topic do. Any thread.
   */
  boolean keepsOrderAcrossTopics();

  /**
   * Takes away what an earlier {@link #openDurable} left at the broker, as soon as it is there.
   * Before {@link #start}.
   *
   * @param done is run on the control thread when it is gone
   */
  void forgetDurable(String pattern, Runnable done);

  /** Sends a client's message. Any thread; never blocks. */
  void publish(Publication publication, PublishListener listener);
}
