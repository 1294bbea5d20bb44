package io.sluice.gateway.link;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.TracedPublish;
import io.sluice.gateway.config.LinkGrants;
import io.sluice.gateway.config.LinkGrants.Kind;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.hub.Sources;
import io.sluice.gateway.limits.UserKey;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicRules;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Root's side of a link: it serves the logs that the leaf opens, in turns, and publishes for it.
 * Bound to the event loop of the link, except where a method states otherwise.
 */
final class LinkRoot implements LinkChannel.Listener, FollowedTopic.Owner {
  /** Bytes of entries that a leaf may receive before it grants credit. */
  static final int FIRST_CREDIT = 1 << 20;

  /** Maximum credit of a log. */
  static final long MAX_CREDIT = 4L * FIRST_CREDIT;

  /** Requests to read messages back that a leaf may have at a time: as many as its hub sends. */
  private static final int MAX_READS = 2;

  private final LinkOptions options;
  private final Hub hub;
  private final LinkChannel channel;
  private final String user;
  private final LeafPublishes permitted;

  /** Null without their module, or if no source has queues. */
  private final LinkQueues.Root queues;

  /** Null without their module, or if the node has no group. */
  private final LinkGroup.Root group;

  private final Map<Integer, FollowedTopic> topics = new HashMap<>();
  private final Queue<FollowedTopic> woken = new ConcurrentLinkedQueue<>();

  /** Topics with entries to send, in the order of their turns. */
  private final Set<FollowedTopic> ready = new LinkedHashSet<>();

  private final AtomicBoolean scheduled = new AtomicBoolean();

  /** Null without presence. */
  private LinkExchange presence;

  /** Null without revocations. */
  private LinkExchange revocations;

  private String leaf;

  /** Null until the leaf sends a message of presence: only one of several roots serves it. */
  private LinkPeer peer;

  /** Likewise for revocations. */
  private LinkPeer receiver;

  private int publishes;
  private int reads;
  private boolean topicsFirst;

  /**
   * @param queues null without their module
   * @param group null without one
   */
  LinkRoot(
      LinkOptions options, Hub hub, LinkChannel channel, LinkQueues queues, LinkGroup.Root group) {
    this.options = options;
    this.hub = hub;
    this.channel = channel;
    this.group = group;
    this.user = "node " + channel.peer();
    Sources sources = hub.sources();
    this.permitted =
        new LeafPublishes(options.publish(), options.subscribe(), options.rules(), sources);
    this.queues =
        queues == null || sources.queues() == null
            ? null
            : queues.serve(channel, sources, this::schedule);
  }

  /**
   * Exchanges presence and revocations with the leaf from now on.
   *
   * @param joined presence, or null
   * @param revoked revocations, or null
   * @param name name of the leaf
   */
  void join(LinkExchange joined, LinkExchange revoked, String name) {
    presence = joined;
    revocations = revoked;
    leaf = name;
  }

  /** Returns whether the leaf receives a group. */
  boolean isMulticast() {
    return group != null && group.isJoined();
  }

  /** Returns the number of topics and patterns that the leaf has opened. */
  int topics() {
    return topics.size();
  }

  /** Returns the number of entries that the leaf was not sent. */
  long behind() {
    return topics.values().stream().mapToLong(FollowedTopic::behind).sum();
  }

  /** Returns the state of the entries that the leaf was not sent. */
  LinkRecord.Lag lag() {
    long nowMs = hub.clock().monoMs();
    return new LinkRecord.Lag(
        behind(), topics.values().stream().mapToLong(each -> each.lagMs(nowMs)).max().orElse(0));
  }

  LinkChannel channel() {
    return channel;
  }

  @Override
  public void onRecord(LinkRecord received) {
    if (received instanceof LinkRecord.Credit credit) {
      FollowedTopic topic = topics.get(credit.ref());
      if (topic != null) { // otherwise it was just refused
        topic.addCredit(Math.max(0, credit.bytes()));
      }
    } else if (received instanceof LinkRecord.Open open) {
      open(open);
    } else if (received instanceof LinkRecord.Close close) {
      close(topics.remove(close.ref()));
    } else if (received instanceof LinkRecord.Confirm confirm) {
      FollowedTopic topic = topics.get(confirm.ref());
      if (topic != null) {
        topic.confirm(confirm, channel);
      }
    } else if (received instanceof LinkRecord.Read read) {
      read(read);
    } else if (received instanceof LinkRecord.Publish publish) {
      publish(publish);
    } else if (received instanceof LinkRecord.OfQueues record && queues != null) {
      queues.onRecord(record.body());
    } else if (received instanceof LinkRecord.OfPresence record && presence != null) {
      onPresence(record.body());
    } else if (received instanceof LinkRecord.OfRevocations record && revocations != null) {
      onRevocations(record.body());
    } else if (received instanceof LinkRecord.OfGroup record && group != null) {
      group.onRecord(record.body());
    } else {
      channel.close("a leaf does not send this record");
    }
  }

  private void onPresence(byte[] message) {
    if (peer == null) {
      peer =
          new LinkPeer(
              channel,
              "leaf " + leaf,
              false,
              topic -> mayExchange(options.publish(), topic),
              topic -> mayExchange(options.subscribe(), topic),
              LinkRecord.OfPresence::new);
      presence.onOpened(peer);
    }
    peer.onMessage(message, presence);
  }

  private void onRevocations(byte[] message) {
    if (receiver == null) {
      receiver = LinkPeer.ofRevocations(channel, "leaf " + leaf, false);
      revocations.onOpened(receiver);
    }
    receiver.onMessage(message, revocations);
  }

  private boolean mayExchange(LinkGrants grants, String topic) {
    return grants.permit(Kind.PRESENCE, topic) && options.rules().checkTopic(topic) == null;
  }

  private void open(LinkRecord.Open open) {
    InterestKey key = open.key();
    TopicRules.Problem invalid = options.rules().checkPattern(key.topic());
    if (topics.containsKey(open.ref())) {
      channel.close("ref " + open.ref() + " is in use");
    } else if (invalid != null) {
      refuse(open.ref(), invalid.code(), invalid.message());
    } else if (topics.size() >= options.logs()) {
      refuse(open.ref(), ErrorCode.TOO_MANY_TOPICS, "the leaf has " + options.logs() + " logs");
    } else if (!isServed(key)) {
      refuse(open.ref(), ErrorCode.FORBIDDEN, "links.subscribe of the root does not permit it");
    } else {
      FollowedTopic topic = new FollowedTopic(open, user, FIRST_CREDIT, this);
      topics.put(open.ref(), topic);
      hub.attach(topic);
    }
  }

  private void refuse(int ref, ErrorCode code, String why) {
    channel.send(new LinkRecord.Refused(ref, code, why));
  }

  // links.subscribe was checked for the log.
  private void read(LinkRecord.Read request) {
    FollowedTopic topic = topics.get(request.ref());
    if (topic == null) {
      return; // it was just refused
    }
    if (reads < MAX_READS && LeafRead.isValid(request)) {
      reads++;
      topic.read(request);
    } else {
      String why = "the leaf reads too many messages back";
      channel.send(new LinkRecord.Confirmed(request.ref(), request.number(), why));
    }
  }

  private void close(FollowedTopic topic) {
    if (topic != null) {
      ready.remove(topic);
      reads -= topic.reads();
      onEnded(topic);
      hub.detach(topic);
    }
  }

  private void onEnded(FollowedTopic topic) {
    if (group != null) {
      group.onClosed(topic);
    }
  }

  @Override
  public void onEntrySent() {
    if (group != null) {
      group.onLinkEntry();
    }
  }

  @Override
  public void onRefused(FollowedTopic topic, ErrorCode code, String why) {
    channel.execute(
        () -> {
          if (topics.remove(topic.ref(), topic)) {
            ready.remove(topic);
            reads -= topic.reads();
            onEnded(topic);
            refuse(topic.ref(), code, why);
          }
        });
  }

  @Override
  public void confirm(FollowedTopic topic, Set<Long> claimed) {
    hub.readBack(topic, user, null, claimed);
  }

  @Override
  public void readBack(FollowedTopic topic, StreamPlace after, Set<Long> claimed) {
    hub.readBack(topic, user, after, claimed);
  }

  @Override
  public void onReadEnd() {
    reads--;
  }

  @Override
  public void wake(FollowedTopic topic) {
    woken.add(topic);
    schedule();
  }

  private void schedule() {
    if (!scheduled.getAndSet(true)) {
      channel.execute(this::serve);
    }
  }

  @Override
  public void onRoom() {
    schedule();
  }

  private void serve() {
    scheduled.set(false);
    for (FollowedTopic next = woken.poll(); next != null; next = woken.poll()) {
      if (topics.get(next.ref()) == next) {
        ready.add(next);
      }
    }
    // One round: each topic has one turn, then other tasks of the event loop have theirs. Queues
    // and topics alternate, because those that send first may fill the link.
    topicsFirst = !topicsFirst;
    boolean queuesWait = !topicsFirst && sendQueues();
    for (int left = ready.size(); left > 0 && !channel.isFull() && !channel.isClosed(); left--) {
      FollowedTopic topic = ready.iterator().next();
      ready.remove(topic);
      if (topic.send(channel)) {
        ready.add(topic);
      }
      if (group != null) {
        group.onTurn(topic);
      }
    }
    queuesWait |= topicsFirst && sendQueues();
    if ((queuesWait || !ready.isEmpty()) && !channel.isFull()) {
      schedule();
    }
  }

  private boolean sendQueues() {
    return queues != null && queues.send();
  }

  private void publish(LinkRecord.Publish publish) {
    Publication publication = publish.publication();
    TopicRules.Problem problem = permitted.problem(publication);
    if (problem != null) {
      refusePublish(publish, problem.code(), problem.message());
    } else if (publishes >= options.publishes()) {
      refusePublish(publish, ErrorCode.BROKER_UNAVAILABLE, "the root has too many publishes");
    } else {
      publishes++;
      TracedPublish.publish(
          hub.tracing(),
          hub.sources().of(publication.destination()),
          publication,
          new Result(publish));
    }
  }

  private void refusePublish(LinkRecord.Publish publish, ErrorCode code, String why) {
    channel.send(new LinkRecord.PublishRefused(publish.ref(), code, why));
  }

  /** Result of a publish. Any thread. */
  private final class Result implements PublishListener {
    private final LinkRecord.Publish publish;

    Result(LinkRecord.Publish publish) {
      this.publish = publish;
    }

    @Override
    public Requester requester() {
      return new Requester("", UserKey.of(user, publish.user()), publish.sequence());
    }

    @Override
    public void onPublished() {
      channel.execute(
          () -> {
            publishes--;
            channel.send(new LinkRecord.Published(publish.ref()));
          });
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      channel.execute(
          () -> {
            publishes--;
            refusePublish(publish, code, why);
          });
    }
  }

  /** Sends the topics in use that the leaf may open. */
  void sendUsed() {
    List<String> names =
        hub.topicsInUse().stream()
            .filter(name -> isServed(InterestKey.ofName(name)))
            .limit(options.warmTopics())
            .toList();
    channel.send(new LinkRecord.Used(names));
  }

  private boolean isServed(InterestKey key) {
    return options.subscribe().permit(Kind.TOPIC, key.topic());
  }

  /** Sends the state of the sources. Any thread. */
  void onSources() {
    channel.execute(() -> channel.send(state()));
  }

  private LinkRecord.State state() {
    return new LinkRecord.State(hub.lostSources(), features(), hub.brokerState());
  }

  private Set<Feature> features() {
    Set<Feature> features = EnumSet.noneOf(Feature.class);
    if (queues != null) {
      features.add(Feature.QUEUES);
      features.addAll(hub.sources().features());
      features.retainAll(LinkSource.OF_QUEUES);
    }
    if (hub.sources().features().contains(Feature.DELAY)) {
      features.add(Feature.DELAY);
    }
    return features;
  }

  @Override
  public void onClosed(String why) {
    if (queues != null) {
      queues.onClosed();
    }
    if (peer != null) {
      presence.onClosed(peer);
    }
    if (receiver != null) {
      revocations.onClosed(receiver);
    }
    if (group != null) {
      group.onClosed();
    }
    topics.values().forEach(this::close);
    topics.clear();
  }
}
