package io.sluice.gateway.mqtt;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Subscription of a client to a filter. Bound to the client's event loop. */
final class FilterSubscription {
  private final String name;
  private byte qos;
  private byte retainHandling;
  private boolean retainAsPublished;
  private int subscriptionId;
  private SubscribedPart part;

  /** Parent level of {@code #}; null without one. */
  private SubscribedPart parent;

  FilterSubscription(MqttPacket.Filter filter) {
    this.name = filter.filter();
    change(filter);
  }

  /** Returns the filter with the granted QoS. */
  MqttPacket.Filter filter() {
    return new MqttPacket.Filter(
        name, qos, false, retainAsPublished, retainHandling, subscriptionId);
  }

  /** Changes options that need no other parts. */
  void change(MqttPacket.Filter changed) {
    qos = (byte) changed.qos();
    retainHandling = (byte) changed.retainHandling();
    retainAsPublished = changed.retainAsPublished();
    subscriptionId = changed.subscriptionId();
  }

  /** Adds a part, the parent level last. */
  void add(SubscribedPart added) {
    if (part == null) {
      part = added;
    } else {
      parent = added;
    }
  }

  /** Removes a part; returns whether it was the parent level. */
  boolean remove(SubscribedPart removed) {
    boolean isParent = removed == parent;
    parent = isParent ? null : parent;
    part = removed == part ? null : part;
    return isParent;
  }

  List<SubscribedPart> parts() {
    return Stream.of(part, parent).filter(Objects::nonNull).toList();
  }

  /** Removes all parts and returns them. */
  List<SubscribedPart> removeAll() {
    List<SubscribedPart> removed = parts();
    part = null;
    parent = null;
    return removed;
  }
}
