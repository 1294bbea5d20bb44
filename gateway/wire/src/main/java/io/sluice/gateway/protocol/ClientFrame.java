package io.sluice.gateway.protocol;

import java.util.List;
import java.util.Map;

/**
 * Parsed frame of a client. {@code ref} is {@link #NO_REF} if the frame has none. Immutable, for
 * any thread.
 */
public sealed interface ClientFrame {
  /** Value of a frame without {@code ref}. */
  long NO_REF = -1;

  /** Value of a request without {@code timeout}. */
  long NO_TIMEOUT = 0;

  /** Largest ref of a tagged subscription or a consumer: four bytes in a binary message. */
  long MAX_TAGGED_REF = 0xFFFF_FFFFL;

  /** Returns the client's number of this frame. */
  long ref();

  /** Returns the topic, pattern or queue that it names, not validated; null if it names none. */
  default String topic() {
    return null;
  }

  /**
   * Opens the session; both texts may be empty.
   *
   * @param redirect whether the client follows redirects
   * @param redirected whether the client was redirected here; it is not redirected again
   * @param compressed whether the client accepts compressed frames
   */
  record Connect(
      long ref,
      String token,
      String client,
      boolean redirect,
      boolean redirected,
      boolean compressed)
      implements ClientFrame {
    @Override
    public String toString() {
      return "connect of \"" + client + "\"";
    }
  }

  /** Replaces the credential by a new one of the same client. */
  record Refresh(long ref, String token) implements ClientFrame {
    @Override
    public String toString() {
      return "refresh " + ref;
    }
  }

  /**
   * Subscribes to a topic or pattern. Its name and its selector are not validated yet.
   *
   * @param tagged whether {@code ref} identifies the subscription; it is valid then
   */
  record Subscribe(long ref, InterestKey key, boolean tagged, Start start, Delivery delivery)
      implements ClientFrame {
    /** Returns the topic or pattern. */
    @Override
    public String topic() {
      return key.topic();
    }
  }

  /**
   * Ends a subscription.
   *
   * @param topic topic or pattern, not validated; null if a tagged subscription is identified
   *     without it
   * @param subscription ref of a tagged subscription or a consumer, or {@link #NO_REF} for a plain
   *     subscription
   */
  record Unsubscribe(long ref, String topic, long subscription) implements ClientFrame {}

  /** Publishes a message; the destinations are not validated yet, everything else is valid. */
  record Publish(
      long ref,
      Destination destination,
      PayloadKind kind,
      byte[] payload,
      Map<String, Object> properties,
      PublishHeaders headers)
      implements ClientFrame {
    @Override
    public String topic() {
      return destination.name();
    }
  }

  /**
   * Publishes a message and requests one reply to it.
   *
   * @param message the message, as in a publish
   * @param timeoutMs time limit of the reply in milliseconds; {@link #NO_TIMEOUT} for the default
   */
  record Request(Publish message, long timeoutMs) implements ClientFrame {
    @Override
    public long ref() {
      return message.ref();
    }

    @Override
    public String topic() {
      return message.topic();
    }
  }

  /**
   * Opens a consumer of a queue or a subscription. The selector is not validated yet.
   *
   * @param ref identifies the consumer; it is valid
   * @param where JMS selector, or null
   * @param credit maximum number of pending messages, from 0
   */
  record Consume(long ref, ConsumerSource source, String where, int credit) implements ClientFrame {
    @Override
    public String topic() {
      return source.destination().name();
    }
  }

  /** Lists the durable subscriptions of the principal. */
  record ListDurables(long ref) implements ClientFrame {}

  /**
   * Removes a durable subscription with its messages.
   *
   * @param topic topic or pattern, not validated yet
   * @param name name of the subscription, which is valid
   */
  record DeleteDurable(long ref, String topic, String name) implements ClientFrame {}

  /**
   * Settles a pending message of a queue.
   *
   * @param subscription ref of the consumer
   * @param tag from 1
   * @param upTo whether all pending messages with smaller tags are settled, too
   */
  record Settle(long ref, long subscription, long tag, boolean upTo, Settlement how)
      implements ClientFrame {}

  /**
   * Answers a pending message of a queue.
   *
   * @param subscription ref of the consumer
   * @param tag from 1
   * @param reply the content; its destination is {@link #REPLY}
   */
  record Respond(long subscription, long tag, Publish reply) implements ClientFrame {
    /** Destination of a reply, which the message names instead of the client. */
    public static final Destination REPLY = Destination.queue("");

    @Override
    public long ref() {
      return reply.ref();
    }
  }

  /**
   * Replaces the credit of a consumer.
   *
   * @param subscription ref of the consumer
   * @param credit maximum number of pending messages, from 0
   */
  record Credit(long ref, long subscription, int credit) implements ClientFrame {}

  /**
   * Reads messages of a queue. Its name and its selector are not validated yet.
   *
   * @param ref identifies the browse; it is valid
   * @param where JMS selector, or null
   * @param max maximum number of messages, from 1
   */
  record Browse(long ref, String queue, String where, int max) implements ClientFrame {}

  /**
   * Publishes messages and acknowledges pending ones, all or nothing. Its parts have no ref.
   *
   * @param publishes messages in order
   * @param acks acknowledgements, all of one consumer
   */
  record Transaction(long ref, List<Publish> publishes, List<Settle> acks) implements ClientFrame {}

  /**
   * Enters a topic, watches its members, or queries them once. The topic is not validated yet.
   *
   * @param ref identifies the request; it is present
   * @param members whether the client receives the members, not only their number
   * @param key secret of the client, or null
   * @param info JSON text for other clients, or null
   */
  record Presence(
      long ref,
      String topic,
      boolean enter,
      boolean watch,
      boolean members,
      String key,
      String info)
      implements ClientFrame {
    @Override
    public String toString() {
      return "presence " + ref + " of \"" + topic + "\"";
    }
  }

  /** Ends presence of a topic. */
  record Leave(long ref, String topic) implements ClientFrame {}

  /** Requests the node's time. */
  record Ping(long ref) implements ClientFrame {}

  /** Frame that could not be parsed; destination is null if the frame has none. */
  record Malformed(long ref, ErrorCode code, String message, Destination destination)
      implements ClientFrame {}
}
