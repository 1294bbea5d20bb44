package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.InterestKey;
import java.util.List;
import java.util.Set;

/**
 * Interface between the hub and the broker. Control thread, except where a method states otherwise.
 */
public interface Broker {
  /** Sequence of messages and canaries to which the broker assigns no number. */
  long NO_SEQUENCE = Long.MIN_VALUE;

  /** One consumer at the broker. */
  interface Consumer {
    /** Closes the consumer. Control thread. */
    void close();

    /**
     * Returns the sequence of the message that is being read and has not been passed to the
     * listener; {@link Long#MAX_VALUE} if there is none. Any thread.
     *
     * <p>Returns {@link Long#MIN_VALUE} while the consumer may miss messages: from the time at
     * which the broker closes it until it is open again. Also while its messages are buffered
     * behind those of other consumers.
     */
    default long readingSequence() {
      return Long.MAX_VALUE;
    }
  }

  /** Begins to connect and returns at once. Any thread. */
  void start();

  /** Closes all consumers and connections. */
  void stop();

  /** Returns the state of the connection in words, with the cause of a failure. Any thread. */
  default String state() {
    return "not connected";
  }

  /** Returns how many topics wait although this source is connected; empty for none. Any thread. */
  default String waiting() {
    return "";
  }

  /**
   * Returns why no message of a topic arrives although this source is connected; empty if there is
   * no known reason. Any thread.
   */
  default String waiting(String topic) {
    return "";
  }

  /** Returns by what messages may be missing at this broker, as far as known. Any thread. */
  default List<DiscardRisk> risks() {
    return List.of();
  }

  /** Adds an interest. The listener is notified when it is active, perhaps within this call. */
  Consumer open(InterestKey key, TopicListener listener);

  /**
   * Adds a durable interest: the broker retains its messages while the node is not connected. The
   * listener is notified when it is active.
   */
  Consumer openDurable(String pattern, DurableListener listener);

  /**
   * Returns whether the messages retained for a durable pattern arrive in the order in which the
   * broker accepted them. Otherwise only the messages of one topic do. Any thread.
   */
  default boolean preservesOrderAcrossTopics() {
    return false;
  }

  /**
   * Returns whether the broker may select the consumers of a scheduled or transacted message when
   * it is sent. Otherwise it selects them at the delivery. Any thread.
   */
  default boolean selectsConsumersAtSend() {
    return true;
  }

  /** Returns whether this source calls {@link BrokerListener#onProof}. Any thread. */
  default boolean provesDelivery() {
    return true;
  }

  /**
   * Returns whether each topic, pattern and selector has a separate stream, so that no interest
   * feeds another. Any thread.
   */
  default boolean hasSeparateStreams() {
    return false;
  }

  /** Returns whether messages have fields that selectors can test. Any thread. */
  default boolean hasFields() {
    return true;
  }

  /**
   * Removes the durable subscription of an earlier {@link #openDurable} when the broker is
   * connected. Called before {@link #start}.
   *
   * @param done runs on the control thread when the subscription has been removed
   */
  void unsubscribeDurable(String pattern, Runnable done);

  /** Reads stored messages again. Sources with offsets only. Any thread; never blocks. */
  default void readBack(ReadBack request) {
    request.answer().accept(null, "the source stores no messages");
  }

  /** Publishes a client's message. Any thread; never blocks. */
  void publish(Publication publication, PublishListener listener);

  /** Returns the optional features of the provider, as in {@code hello}. Any thread. */
  default Set<Feature> features() {
    return Set.of();
  }

  /** Returns whether another node decides about delays of publishes. Any thread. */
  default boolean forwardsDelays() {
    return false;
  }

  /** Returns the requests over the broker; null without the module of queues. Any thread. */
  default Requests requests() {
    return null;
  }

  /** Returns the consumers of queues; null without their module. Any thread. */
  default Queues queues() {
    return null;
  }
}
