package io.sluice.gateway.link;

import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.CauseLog;
import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.broker.SourceState;
import io.sluice.gateway.broker.StreamSource;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Another node, the root, as the source of this node's messages: each interest continues a log of
 * the root, so that positions are valid at all of its leaves. Bound to the control thread, except
 * where {@link StreamSource} states otherwise.
 */
public final class LinkSource implements StreamSource {
  private static final Logger log = LoggerFactory.getLogger(LinkSource.class);

  /** Features of queues that a root passes to its leaves. */
  static final Set<Feature> OF_QUEUES =
      Set.of(
          Feature.QUEUES,
          Feature.DURABLE,
          Feature.SHARED,
          Feature.TRANSACTIONS,
          Feature.TRANSACTED_ACKS);

  private static final String NAME = "node";

  private final LinkOptions options;
  private final ScheduledExecutorService control;
  private final BrokerListener listener;
  private final GatewayMetrics metrics;
  private final RootLinks links;
  private final NodePublishes publishes;

  /** Null without their module, or if another source has queues. */
  private final LinkQueues.Leaf queues;

  /** Interests by their ref; changed by the control thread. */
  private final Map<Integer, NodeInterest> interests = new ConcurrentHashMap<>();

  /** Interests that must be complete before {@link BrokerListener#onLive}. */
  private final Set<NodeInterest> restoring = new HashSet<>();

  private final CauseLog unreachable = new CauseLog();
  private int nextRef;

  /** Null while there is none. Written on the control thread. */
  private volatile LinkLeaf link;

  private final SourceState state = new SourceState();
  private volatile Set<Feature> features = features(Set.of());
  private boolean live;

  /** Names of the root's lost sources; null before it has reported them. */
  private List<String> lost;

  /**
   * Creates a source that is not connected yet.
   *
   * @param links the node's links
   * @param control executor of the control thread
   */
  public LinkSource(
      LinkOptions options,
      RootLinks links,
      ScheduledExecutorService control,
      BrokerListener listener,
      GatewayMetrics metrics) {
    this.options = options;
    this.links = links;
    this.control = control;
    this.listener = listener;
    this.metrics = metrics;
    this.publishes = new NodePublishes(options, metrics);
    this.queues = options.hasQueues() ? links.newLeaf() : null;
  }

  @Override
  public void start() {
    onControl(
        () ->
            listener.onIdentity(
                IdentityState.NONE, "positions are those of the root's logs, without identities"));
    links.onRoot(this::newLeaf, this::onUnreachable);
  }

  @Override
  public void stop() {
    LinkLeaf closing = link;
    link = null;
    publishes.onLost();
    onQueuesLost();
    interests.values().forEach(NodeInterest::retire);
    metrics.brokerConnected(NAME, false);
    if (closing != null) {
      closing.channel().execute(() -> closing.channel().close("the node stops"));
    }
  }

  @Override
  public String state() {
    return state.toString();
  }

  /** Creates the receiver of a link to a root; null if there is one already. Any thread. */
  private LinkLeaf newLeaf(LinkChannel channel, LinkRecord.Hello root) {
    return new LinkLeaf(this, channel, root.node());
  }

  private void onUnreachable(String why) {
    onControl(
        () -> {
          if (link == null) {
            state.on("not connected: " + why);
            metrics.brokerReconnectAttempt(NAME);
            unreachable.atWarn(log, "roots", options.roots(), why).log("broker.unreachable");
          }
        });
  }

  void onControl(Runnable task) {
    try {
      control.execute(task);
    } catch (RejectedExecutionException stopping) {
      // the interests end with the node
    }
  }

  /** Returns the interest with a ref, or null. Any thread. */
  NodeInterest interest(int ref) {
    return interests.get(ref);
  }

  NodePublishes publishes() {
    return publishes;
  }

  /** A link to a root is open. */
  void onConnected(LinkLeaf connected) {
    if (link != null) {
      connected.channel().execute(() -> connected.channel().close("another root serves the node"));
      return;
    }
    link = connected;
    lost = null;
    metrics.brokerConnected(NAME, true);
    log.atInfo()
        .addKeyValue("root", connected.root())
        .addKeyValue("interests", interests.size())
        .log("broker.connected");
    publishes.onConnected(connected.channel());
    restoring.addAll(interests.values());
    describe();
    interests.values().forEach(interest -> interest.open(connected.channel()));
  }

  /** The root has reported the state of its sources. */
  void onState(LinkLeaf of, LinkRecord.State received) {
    if (of != link) {
      return;
    }
    lost = received.lost();
    if (queues != null) {
      features = features(received.features());
      of.channel().execute(() -> queues.onRoot(of.channel(), received.features()));
    }
    describe();
    if (live && !lost.isEmpty()) {
      live = false;
      listener.onLost();
    } else {
      restored();
    }
  }

  /** A link is closed. */
  void onLost(LinkLeaf of, String why) {
    if (of != link) {
      return;
    }
    link = null;
    restoring.clear();
    publishes.onLost();
    onQueuesLost();
    interests.values().forEach(NodeInterest::retire);
    metrics.brokerConnected(NAME, false);
    state.on("not connected: " + why);
    log.atWarn().addKeyValue("root", of.root()).addKeyValue("cause", why).log("broker.lost");
    if (live) {
      live = false;
      listener.onLost();
    }
  }

  private void onQueuesLost() {
    if (queues != null) {
      links.execute(queues::onLost);
    }
  }

  private void describe() {
    if (lost != null && !lost.isEmpty()) {
      state.on("connected to " + link.root() + ", which has lost " + String.join(", ", lost));
    } else if (live) {
      state.onLive();
    } else {
      state.onOpening(interests.size() - restoring.size(), interests.size());
    }
  }

  /** The log of an interest is complete up to now. */
  void onLive(LinkLeaf of, NodeInterest interest) {
    if (of == link && !interest.isClosed()) {
      interest.onLive();
      settle(interest);
    }
  }

  /** The root has refused an interest. */
  void onRefused(LinkLeaf of, NodeInterest interest, ErrorCode code, String why) {
    if (of == link && !interest.isClosed()) {
      log.atWarn()
          .addKeyValue("topic", interest.key())
          .addKeyValue("cause", why)
          .log("interest.refused");
      interest.refuse(code, why);
      onClosed(interest);
    }
  }

  private void settle(NodeInterest interest) {
    restoring.remove(interest);
    if (link != null) {
      describe();
    }
    restored();
  }

  private void restored() {
    boolean isComplete = link != null && lost != null && lost.isEmpty() && restoring.isEmpty();
    if (isComplete && !live) {
      live = true;
      unreachable.reset();
      describe();
      listener.onLive();
    }
  }

  @Override
  public Consumer open(InterestKey key, TopicListener topicListener) {
    NodeInterest interest = new NodeInterest(++nextRef, key, topicListener, this::onClosed);
    if (!TopicPattern.anyCovers(options.topics(), key.topic())) {
      interest.refuse(ErrorCode.FORBIDDEN, "nodes.topics of this node does not have this topic");
      return interest;
    }
    interests.put(interest.ref(), interest);
    metrics.interestOpened();
    if (link != null) {
      interest.open(link.channel());
    }
    return interest;
  }

  private void onClosed(NodeInterest interest) {
    if (interests.remove(interest.ref()) != null) {
      metrics.interestClosed();
      settle(interest);
    }
  }

  @Override
  public String durableProblem() {
    return "durable topics belong to nodes with a broker";
  }

  @Override
  public boolean hasSeparateStreams() {
    return true;
  }

  @Override
  public void publish(Publication publication, PublishListener publishListener) {
    publishes.publish(publication, publishListener);
  }

  @Override
  public Set<Feature> features() {
    return features;
  }

  private static Set<Feature> features(Set<Feature> ofQueues) {
    Set<Feature> features = EnumSet.of(Feature.PUBLISH_ID);
    features.addAll(ofQueues);
    features.remove(Feature.QUEUES); // sessions add it
    return features;
  }

  @Override
  public Queues queues() {
    return queues == null ? null : queues.queues();
  }

  @Override
  public Requests requests() {
    return queues == null ? null : queues.requests();
  }

  /** Returns the leaf's side of queues, or null. Any thread. */
  LinkQueues.Leaf queuesOfRoot() {
    return queues;
  }
}
