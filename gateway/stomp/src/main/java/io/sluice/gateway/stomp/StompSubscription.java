package io.sluice.gateway.stomp;

import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.ConsumerSource;
import io.sluice.gateway.stomp.SubscriptionIds.Use;

/** Subscription of one client. Bound to the client's event loop. */
final class StompSubscription {
  /** Acknowledgement modes. */
  enum Ack {
    AUTO,
    CLIENT,
    CLIENT_INDIVIDUAL
  }

  /** Id of the client; empty if a client of version 1.0 has given none. */
  private String id;

  /** Header {@code destination} of the SUBSCRIBE; null if the name of the topic is sufficient. */
  private final String destination;

  final StompDestination target;
  final Ack ack;

  /** True if the client requests gaps. */
  final boolean gaps;

  /** Durable or shared subscription or queue; null for an ordinary topic. */
  final ConsumerSource source;

  /** Number of the id; unused for temporary queues. */
  long ref = ClientFrame.NO_REF;

  /** Number for the topic above a pattern, or {@link ClientFrame#NO_REF}. */
  long parentRef = ClientFrame.NO_REF;

  /** Answers of the session that are missing. */
  int unanswered;

  /** Receipt of the SUBSCRIBE, or null. */
  String receipt;

  /** Start of the subscription for the receipt, or null. */
  String position;

  /** Epochs of both logs, if the client requests gaps. */
  private String epoch;

  private String parentEpoch;

  /** Newest delivery that an automatic acknowledgement will include; 0 if there is none. */
  long autoAckTag;

  StompSubscription(
      String id,
      String destination,
      StompDestination target,
      Ack ack,
      boolean gaps,
      ConsumerSource source) {
    this.id = id;
    boolean isTopic = target.kind() == StompDestination.Kind.TOPIC && source == null;
    this.destination = isTopic && !id.isEmpty() ? null : destination;
    this.target = target;
    this.ack = ack;
    this.gaps = gaps;
    this.source = source;
  }

  /** Stores the number of the id, and shares the id with other clients. */
  void onAcquired(SubscriptionIds.SharedId shared) {
    ref = shared.ref();
    if (!id.isEmpty()) {
      id = shared.text();
    }
  }

  /** Returns the id for the header {@code subscription}; null without one. */
  String id() {
    return id.isEmpty() ? null : id;
  }

  /** Returns the destination for the client. */
  String destination() {
    return destination == null ? StompDestination.TOPIC + target.name() : destination;
  }

  /** Returns whether a number is that of the topic above the pattern. */
  boolean isParent(long number) {
    return number == parentRef;
  }

  /** Returns how the id is used. */
  Use use() {
    if (source != null) {
      return Use.CONSUMER;
    }
    if (id.isEmpty()) {
      return Use.NAMELESS;
    }
    return ack == Ack.AUTO ? Use.TOPIC : Use.ACKNOWLEDGED_TOPIC;
  }

  /** Returns how the id is used for the topic above a pattern. */
  Use parentUse() {
    return id.isEmpty() ? Use.NAMELESS_PARENT : Use.PARENT;
  }

  /** Stores the epoch of a log for positions of gaps. */
  void epoch(long logRef, String text) {
    if (gaps && logRef == ref) {
      epoch = text;
    } else if (gaps) {
      parentEpoch = text;
    }
  }

  /** Returns the epoch of a log. */
  String epoch(long logRef) {
    return logRef == ref ? epoch : parentEpoch;
  }

  /** Returns whether this is a temporary queue of a name. */
  boolean isTemporary(String name) {
    return isTemporary() && target.name().equals(name);
  }

  boolean isTemporary() {
    return target.kind() == StompDestination.Kind.TEMPORARY;
  }

  /** Returns what identifies the subscription in frames of the client. */
  String key() {
    return id.isEmpty() ? destination : id;
  }
}
