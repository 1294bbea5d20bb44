package io.sluice.gateway.protocol;

import java.util.Map;

/** A frame that a client sent, parsed. {@code ref} is {@link #NO_REF} if it carried none. */
public sealed interface ClientFrame {
  /** Stands for a frame without {@code ref}. */
  long NO_REF = -1;

  /** Largest ref of a tagged subscription, which takes four bytes of a binary message. */
  long MOST_TAGGED_REF = 0xFFFF_FFFFL;

  /** The client's number for this frame. */
  long ref();

  /**
   * Opens the session; both texts may be empty.
   *
   * @param redirect whether the client can be sent to another node
   * @param redirected whether it comes because it was, so that it is not to be sent on again
   */
  record Connect(long ref, String token, String client, boolean redirect, boolean redirected)
      implements ClientFrame {
    @Override
    public String toString() {
      return "connect of \"" + client + "\"";
    }
  }

  /** Shows another credential of the same client. */
  record Refresh(long ref, String token) implements ClientFrame {
    @Override
    public String toString() {
      return "refresh " + ref;
    }
  }

  /**
   * Asks for a topic or pattern, unchecked.
   *
   * @param tagged whether the subscription is identified by {@code ref}, which is then valid
   */
  record Subscribe(long ref, String topic, boolean tagged, Start start, Delivery delivery)
      implements ClientFrame {}

  /**
   * Ends a subscription.
   *
   * @param topic topic or pattern, unchecked; null if a tagged subscription is named without it
   * @param subscription ref of a tagged subscription, or {@link #NO_REF} for a plain one
   */
  record Unsubscribe(long ref, String topic, long subscription) implements ClientFrame {}

  /** Sends a message; the topic is unchecked, the properties are valid. */
  record Publish(
      long ref, String topic, PayloadKind kind, byte[] payload, Map<String, Object> properties)
      implements ClientFrame {}

  /** Asks for the node's time. */
  record Ping(long ref) implements ClientFrame {}

  /** A frame that could not be understood; topic is null if none was named. */
  record Malformed(long ref, ErrorCode code, String message, String topic) implements ClientFrame {}
}
