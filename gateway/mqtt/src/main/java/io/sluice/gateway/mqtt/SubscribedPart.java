package io.sluice.gateway.mqtt;

import java.util.ArrayList;
import java.util.List;

/** Subscription of the session to one pattern of a filter. Bound to the client's event loop. */
final class SubscribedPart {
  /** Uses of a part. */
  enum Use {
    /** Messages with QoS 0 in bytes shared by all clients. */
    SHARED,
    /** Messages with QoS 0 and the flag RETAIN or a subscription identifier. */
    FLAGGED,
    /** Messages with QoS 1. */
    ACKNOWLEDGED,
    /** Messages that a group of clients shares, with either QoS. */
    GROUP,
    /** Messages of a durable subscription, with either QoS. */
    DURABLE,
    /** Only the snapshot, as retained messages. */
    RETAINED
  }

  final Use use;
  final long ref;
  final String pattern;

  /** Name of the group or the durable subscription, or null. */
  String name;

  /** Subscription identifier, or 0. */
  int subscriptionId;

  /** Granted QoS. */
  int qos;

  /** Filters that use it, and requests of filters that wait for the answer. */
  int users = 1;

  /** Null if nothing waits, as most of the time. */
  private List<FilterRequest> waiting;

  boolean answered;

  /** True if retained messages follow the answer of a shared part. */
  boolean snapshotRequested;

  /** True if live messages of retained topics have the flag RETAIN. */
  boolean retainAsPublished;

  /** Number of messages to come that precede the live ones. */
  int replay;

  /** True if the replay is a snapshot of retained messages. */
  boolean replaysRetained;

  /** Null without QoS 1. */
  final PartPosition position;

  SubscribedPart(Use use, long ref, String pattern) {
    this.use = use;
    this.ref = ref;
    this.pattern = pattern.intern(); // many clients share it
    this.position = use == Use.ACKNOWLEDGED ? new PartPosition() : null;
  }

  boolean isTagged() {
    return use != Use.SHARED;
  }

  /** Returns whether the broker has a consumer for this client. */
  boolean isConsumer() {
    return use == Use.GROUP || use == Use.DURABLE;
  }

  /** Adds a request that waits for the answer. */
  void await(FilterRequest request) {
    if (waiting == null) {
      waiting = new ArrayList<>(1);
    }
    waiting.add(request);
  }

  /** Removes the requests that wait, and returns them. */
  List<FilterRequest> takeWaiting() {
    List<FilterRequest> taken = waiting == null ? List.of() : waiting;
    waiting = null;
    return taken;
  }

  /** Moves the position, if there is one, over acknowledged messages. */
  void advance() {
    if (position != null) {
      position.advance();
    }
  }
}
