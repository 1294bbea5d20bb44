package io.sluice.gateway.hub;

import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.DiscardRisk;
import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The sources of a node. Each topic belongs to one of them. Immutable, for any thread.
 *
 * <p>The order is that of their configuration, and the last one has the topics of no other one.
 */
public final class Sources {
  private final List<HubSource> all;

  private final List<String> durable;

  /** The source with queues; the last one if none has them. */
  private final HubSource queues;

  /**
   * @param durable patterns of durable topics
   */
  Sources(List<HubSource> all, List<String> durable) {
    this.all = List.copyOf(all);
    this.durable = durable;
    this.queues =
        all.stream()
            .filter(each -> each.broker().queues() != null)
            .findFirst()
            .orElse(all.get(all.size() - 1));
  }

  List<HubSource> all() {
    return all;
  }

  /** Returns the source of a topic or pattern; null for a pattern with topics of several ones. */
  HubSource of(String topic) {
    HubSource last = all.get(all.size() - 1);
    boolean overlaps = false;
    for (HubSource source : all) {
      if (source != last) {
        if (TopicPattern.anyCovers(source.topics(), topic)) {
          return source;
        }
        overlaps |= source.overlaps(topic);
      }
    }
    return overlaps ? null : last;
  }

  /** Returns why a pattern is refused that {@link #of} does not map to a source. */
  String refusal() {
    return "the pattern has topics of several sources of this node ("
        + all.stream().map(HubSource::name).collect(Collectors.joining(", "))
        + ")";
  }

  /** Returns the source of a destination, which is no pattern. */
  public Broker of(Destination destination) {
    return (destination.isQueue() ? queues : of(destination.name())).broker();
  }

  /** Returns why a message cannot have its delay; null if it can, or another node decides. */
  public String delayProblem(PublishHeaders headers, Destination to) {
    Broker source = of(to);
    if (headers.delayMs() == PublishHeaders.NONE || source.forwardsDelays()) {
      return null;
    }
    if (!source.features().contains(Feature.DELAY)) {
      return "\"delay\": the broker of this node does not delay messages";
    }
    return to.isQueue() || TopicPattern.anyCovers(durable, to.name())
        ? null
        : "\"delay\": topic "
            + to.name()
            + " is not durable (broker.durable), so subscribers that move to another node could"
            + " miss the message; publish it to a queue, or without a delay";
  }

  /**
   * Returns whether a topic or pattern belongs to the source with queues, so that it can be used in
   * requests, transactions, and durable and shared subscriptions.
   */
  public boolean isBesideQueues(String topic) {
    return of(topic) == queues;
  }

  /** Returns the number of the source with queues, as in {@link HubSource}. */
  public int queuesIndex() {
    return queues.index();
  }

  /** Returns the consumers of queues; null without them. */
  public Queues queues() {
    return queues.broker().queues();
  }

  /** Returns the requests over the source with queues; null without them. */
  public Requests requests() {
    return queues.broker().requests();
  }

  /** Returns the optional features of any source. */
  public Set<Feature> features() {
    if (all.size() == 1) {
      return queues.broker().features();
    }
    Set<Feature> features = EnumSet.noneOf(Feature.class);
    all.forEach(each -> features.addAll(each.broker().features()));
    return features;
  }

  /** Returns by what messages may be missing at any source, as far as known. */
  public List<DiscardRisk> risks() {
    return all.stream().flatMap(each -> each.broker().risks().stream()).toList();
  }
}
