package io.sluice.gateway.link;

import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.CauseLog;
import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.broker.SourceState;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.StreamSource;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.config.NodeRoots;
import io.sluice.gateway.history.PartitionOffsets;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Another node, the root, as the source of this node's messages: each interest continues a log of
 * the root, so that positions are valid at all of its leaves. Bound to the control thread, except
 * where {@link StreamSource} states otherwise.
 */
public final class LinkSource implements StreamSource, RootLinks.Receiver {
  private static final Logger log = LoggerFactory.getLogger(LinkSource.class);

  /** Features of queues that a root passes to its leaves. */
  static final Set<Feature> OF_QUEUES =
      Set.of(
          Feature.QUEUES,
          Feature.DURABLE,
          Feature.SHARED,
          Feature.TRANSACTIONS,
          Feature.TRANSACTED_ACKS);

  /** Time after which the node is ready without the logs of all topics in use. */
  private static final long WARM_TIMEOUT_S = 30;

  /** Number of refused topics that are remembered for operators. */
  private static final int MAX_REFUSALS = 256;

  /** State of a root that has not reported it. */
  private static final LinkRecord.State UNKNOWN = new LinkRecord.State(List.of(), Set.of(), "");

  private final LinkOptions options;
  private final NodeRoots roots;
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

  /** True once the topics in use at the first root are requested. Event loop of the link. */
  private boolean requested;

  /** True once their logs are here, or the time for that is over. */
  private boolean warm;

  private final CauseLog unreachable = new CauseLog();
  private int nextRef;

  /** Null while there is none. Written on the control thread. */
  private volatile LinkLeaf link;

  private final SourceState state = new SourceState();

  /** Latest topics that the root has refused, with its reasons. */
  private final Map<String, String> refusals =
      Collections.synchronizedMap(
          new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
              return size() > MAX_REFUSALS;
            }
          });

  /** State of the root that has lost its source; empty otherwise. */
  private volatile String lost = "";

  private volatile Set<Feature> features = EnumSet.of(Feature.PUBLISH_ID);
  private boolean live;

  /** Roots with a link, one of which serves this node, and their latest states. */
  private final Map<LinkLeaf, LinkRecord.State> states = new LinkedHashMap<>();

  /**
   * Creates a source that is not connected yet.
   *
   * @param roots the nodes, one of which is connected
   * @param links the node's links
   * @param control executor of the control thread
   */
  public LinkSource(
      LinkOptions options,
      NodeRoots roots,
      RootLinks links,
      ScheduledExecutorService control,
      BrokerListener listener,
      GatewayMetrics metrics) {
    this.roots = roots;
    this.links = links;
    this.control = control;
    this.listener = listener;
    this.metrics = metrics;
    this.options = options;
    this.warm = options.warmTopics() == 0;
    this.publishes = new NodePublishes(options, metrics);
    this.queues = options.hasQueues() && roots.isFirst() ? links.newLeaf() : null;
  }

  @Override
  public void start() {
    onControl(
        () ->
            listener.onIdentity(
                IdentityState.NONE, "positions are those of the root's logs, without identities"));
    links.follow(roots.urls(), this);
  }

  @Override
  public void stop() {
    LinkLeaf closing = link;
    link = null;
    publishes.onLost();
    onQueuesLost();
    interests.values().forEach(NodeInterest::retire);
    metrics.brokerConnected(roots.source(), false);
    if (closing != null) {
      closing.channel().execute(() -> closing.channel().close("the node stops"));
    }
  }

  @Override
  public String state() {
    return state.toString();
  }

  @Override
  public String waiting(String topic) {
    return refusals.getOrDefault(topic, lost);
  }

  @Override
  public LinkLeaf onRoot(LinkChannel channel, LinkRecord.Hello root) {
    return new LinkLeaf(this, channel, root);
  }

  @Override
  public void onUnreachable(String why) {
    onControl(
        () -> {
          if (link == null) {
            state.on("not connected: " + why);
            metrics.brokerReconnectAttempt(roots.source());
            unreachable.atWarn(log, "roots", roots.urls(), why).log("broker.unreachable");
          }
        });
  }

  /** Creates the leaf's side of a group; null without its module. Event loop of the link. */
  LinkGroup.Leaf join(LinkChannel channel, String root, IntFunction<LinkGroup.LeafLog> logs) {
    return links.join(channel, root, logs);
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

  LinkExchange presence() {
    return links.presence();
  }

  LinkExchange revocations() {
    return links.revocations();
  }

  NodePublishes publishes() {
    return publishes;
  }

  /** A link to a root is open. It serves this node if no other one does. */
  void onConnected(LinkLeaf connected) {
    states.put(connected, UNKNOWN);
    if (link == null) {
      serve(connected);
    }
  }

  private void serve(LinkLeaf connected) {
    link = connected;
    refusals.clear();
    metrics.brokerConnected(roots.source(), true);
    log.atInfo()
        .addKeyValue("root", connected.root())
        .addKeyValue("interests", interests.size())
        .log("broker.connected");
    publishes.onConnected(connected.channel());
    connected.join(links.presence(), "roots " + roots.source(), this::isOfRoots);
    connected.receive(links.revocations());
    restoring.addAll(interests.values());
    if (states.get(connected) != UNKNOWN) {
      use(connected, states.get(connected));
    }
    describe();
    interests.values().forEach(interest -> interest.open(connected.channel()));
  }

  /** A root has reported the state of its sources. */
  void onState(LinkLeaf of, LinkRecord.State reported) {
    if (states.replace(of, reported) == null) {
      return; // the link is closed
    }
    if (of == link) {
      use(of, reported);
      describe();
      if (live && !reported.lost().isEmpty()) {
        live = false;
        listener.onLost();
      } else {
        restored();
      }
    }
    replaceLost();
  }

  private void use(LinkLeaf of, LinkRecord.State reported) {
    features = features(reported.features());
    if (queues != null) {
      of.channel().execute(() -> queues.onRoot(of.channel(), reported.features()));
    }
  }

  /** Closes the link to a root that has lost its source if another one has it. */
  private void replaceLost() {
    boolean isLost = link != null && !states.get(link).lost().isEmpty();
    if (isLost && states.values().stream().anyMatch(LinkSource::isLive)) {
      LinkChannel closing = link.channel();
      closing.execute(() -> closing.close("another root has not lost its source"));
    }
  }

  private static boolean isLive(LinkRecord.State reported) {
    return reported != UNKNOWN && reported.lost().isEmpty();
  }

  /** The root has reported its topics in use. Event loop of the link. */
  void onUsed(List<String> names) {
    if (!requested && options.warmTopics() > 0) {
      requested = true;
      List<String> opened =
          names.stream().filter(this::isServed).limit(options.warmTopics()).toList();
      links
          .preSubscribe(opened)
          .whenComplete((active, failure) -> onControl(() -> onWarm(failure == null)));
      onControl(() -> control.schedule(() -> onWarm(false), WARM_TIMEOUT_S, TimeUnit.SECONDS));
    }
  }

  private boolean isServed(String name) {
    return options.served().test(name) && isOfRoots(InterestKey.ofName(name));
  }

  private boolean isOfRoots(InterestKey key) {
    return isOfRoots(key.topic());
  }

  private boolean isOfRoots(String topic) {
    return TopicPattern.anyCovers(roots.topics(), topic);
  }

  private void onWarm(boolean isComplete) {
    if (!warm) {
      warm = true;
      if (!isComplete) {
        log.atWarn().log("link.not-warm");
      }
      restored();
    }
  }

  /** A link is closed. */
  void onLost(LinkLeaf of, String why) {
    states.remove(of);
    if (of != link) {
      return;
    }
    link = null;
    lost = "";
    restoring.clear();
    publishes.onLost();
    onQueuesLost();
    interests.values().forEach(NodeInterest::retire);
    metrics.brokerConnected(roots.source(), false);
    state.on("not connected: " + why);
    log.atWarn().addKeyValue("root", of.root()).addKeyValue("cause", why).log("broker.lost");
    if (live) {
      live = false;
      listener.onLost();
    }
    states.keySet().stream()
        .max(Comparator.comparing(each -> isLive(states.get(each))))
        .ifPresent(this::serve);
  }

  private void onQueuesLost() {
    if (queues != null) {
      links.execute(queues::onLost);
    }
  }

  private void describe() {
    LinkRecord.State reported = states.get(link);
    lost = "";
    if (!reported.lost().isEmpty()) {
      String sources = String.join(", ", reported.lost());
      String text = "connected to %s, which has lost %s (%s)";
      state.on(text.formatted(link.root(), sources, reported.text()));
      lost = "%s has lost %s (%s)".formatted(describeRoot(), sources, reported.text());
    } else if (live) {
      state.onLive();
    } else {
      state.onOpening(interests.size() - restoring.size(), interests.size());
    }
  }

  private String describeRoot() {
    return "node %s at %s".formatted(link.root(), link.channel().address());
  }

  /** The log of an interest is complete up to now. */
  void onLive(LinkLeaf of, NodeInterest interest) {
    if (of == link && !interest.isClosed()) {
      refusals.remove(interest.key().topic());
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
      refusals.put(interest.key().topic(), describeRoot() + " refuses it: " + why);
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
    boolean isComplete = link != null && isLive(states.get(link)) && warm && restoring.isEmpty();
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
    if (!isOfRoots(key)) {
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
  public void readBack(ReadBack request) {
    onControl(() -> requestFromRoot(request));
  }

  private void requestFromRoot(ReadBack request) {
    boolean nothing =
        new PartitionOffsets(request.after()).reaches(new PartitionOffsets(request.upTo()));
    NodeInterest interest =
        interests.values().stream()
            .filter(each -> each.key().equals(request.key()))
            .findAny()
            .orElse(null);
    long[] ids = request.claimed().stream().mapToLong(id -> id).toArray();
    StreamPlace claimed = new StreamPlace(request.after().stream(), ids);
    if (interest == null || ids.length > PlaceClaims.MAX_IDS) {
      request.answer().accept(null, "the topic is closed, or too many clients resume");
    } else if (!nothing && link != null && !link.readsBack()) {
      request.answer().accept(null, "the root reads no messages back for leaves");
    } else if (!nothing) {
      interest.read(request, claimed);
    } else if (ids.length == 0) {
      request.answer().accept(List.of(), null);
    } else {
      interest.confirm(
          claimed, problem -> request.answer().accept(problem == null ? List.of() : null, problem));
    }
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

  private Set<Feature> features(Set<Feature> ofRoot) {
    Set<Feature> features = EnumSet.of(Feature.PUBLISH_ID);
    features.addAll(ofRoot);
    if (queues == null) {
      features.removeAll(OF_QUEUES);
    }
    features.remove(Feature.QUEUES); // sessions add it
    return features;
  }

  @Override
  public boolean forwardsDelays() {
    return true;
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
