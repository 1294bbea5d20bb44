package io.sluice.gateway.link;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Requester;
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

  private final LinkOptions options;
  private final Hub hub;
  private final LinkChannel channel;
  private final String user;

  /** Null without their module, or if no source has queues. */
  private final LinkQueues.Root queues;

  private final Map<Integer, FollowedTopic> topics = new HashMap<>();
  private final Queue<FollowedTopic> woken = new ConcurrentLinkedQueue<>();

  /** Topics with entries to send, in the order of their turns. */
  private final Set<FollowedTopic> ready = new LinkedHashSet<>();

  private final AtomicBoolean scheduled = new AtomicBoolean();

  /** Null without presence. */
  private LinkPresence presence;

  private String leaf;

  /** Null until the leaf sends a message of presence: only one of several roots serves it. */
  private LinkPeer peer;

  private int publishes;
  private boolean topicsFirst;

  /**
   * @param queues null without their module
   */
  LinkRoot(LinkOptions options, Hub hub, LinkChannel channel, LinkQueues queues) {
    this.options = options;
    this.hub = hub;
    this.channel = channel;
    this.user = "node " + channel.peer();
    Sources sources = hub.sources();
    this.queues =
        queues == null || sources.queues() == null
            ? null
            : queues.serve(channel, sources, this::schedule);
  }

  /**
   * Exchanges presence with the leaf from now on.
   *
   * @param joined may be null
   * @param name name of the leaf
   */
  void join(LinkPresence joined, String name) {
    presence = joined;
    leaf = name;
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
    } else if (received instanceof LinkRecord.Publish publish) {
      publish(publish);
    } else if (received instanceof LinkRecord.OfQueues record && queues != null) {
      queues.onRecord(record.body());
    } else if (received instanceof LinkRecord.OfPresence record && presence != null) {
      onPresence(record.body());
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
              topic -> mayExchange(options.subscribe(), topic));
      presence.onOpened(peer);
    }
    peer.onMessage(message, presence);
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

  private void close(FollowedTopic topic) {
    if (topic != null) {
      ready.remove(topic);
      hub.detach(topic);
    }
  }

  @Override
  public void onRefused(FollowedTopic topic, ErrorCode code, String why) {
    channel.execute(
        () -> {
          if (topics.remove(topic.ref(), topic)) {
            ready.remove(topic);
            refuse(topic.ref(), code, why);
          }
        });
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
    String name = publication.destination().name();
    Kind kind = publication.destination().isQueue() ? Kind.QUEUE : Kind.TOPIC;
    TopicRules.Problem invalid = options.rules().checkTopic(name);
    if (invalid != null) {
      refusePublish(publish, invalid.code(), invalid.message());
      return;
    }
    String delay = hub.sources().delayProblem(publication.headers(), publication.destination());
    if (!options.publish().permit(kind, name)) {
      refusePublish(publish, ErrorCode.FORBIDDEN, "links.publish of the root does not permit it");
    } else if (delay != null) {
      refusePublish(publish, ErrorCode.UNSUPPORTED, "at the root: " + delay);
    } else if (publishes >= options.publishes()) {
      refusePublish(publish, ErrorCode.BROKER_UNAVAILABLE, "the root has too many publishes");
    } else {
      publishes++;
      hub.sources().of(publication.destination()).publish(publication, new Result(publish));
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
    topics.values().forEach(this::close);
    topics.clear();
  }
}
