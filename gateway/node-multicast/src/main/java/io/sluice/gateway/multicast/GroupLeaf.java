package io.sluice.gateway.multicast;

import io.sluice.gateway.link.LinkChannel;
import io.sluice.gateway.link.LinkGroup;
import io.sluice.gateway.link.LinkGroup.LeafLog;
import io.sluice.gateway.link.LinkRecord;
import io.sluice.gateway.multicast.GroupRecord.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leaf's side of its membership in a root's group. Bound to the event loop of the link. */
final class GroupLeaf implements LinkGroup.Leaf, FrameSubscriber.Owner {
  private static final Logger log = LoggerFactory.getLogger(GroupLeaf.class);

  /** Ticks without a frame after which the group is lost; the root sends probes. */
  private static final int SILENT_TICKS = 30;

  /** Ticks without a first frame after which the network is said to have no multicast. */
  private static final int ABSENT_TICKS = 100;

  /** Interval of {@link GroupRecord.Joined}, which the root may have forgotten. */
  private static final int JOINED_TICKS = 50;

  /** Ticks with repairs, within {@link #WINDOW_TICKS}, after which the link serves everything. */
  private static final int MAX_REPAIRS = 5;

  private static final int WINDOW_TICKS = 100;

  /** Ticks after which a leaf joins again. */
  private static final int PAUSE_TICKS = 600;

  private final LinkChannel channel;
  private final String root;
  private final IntFunction<LeafLog> logs;
  private final Supplier<GroupTransport> transport;
  private final GroupMeters meters;

  /** Logs by their numbers in the group. */
  private final Map<Integer, LeafTopic> topics = new HashMap<>();

  /** The group; null before the root has sent it, and after a failure. */
  private GroupRecord.Join group;

  /** Null while the leaf does not receive the group. */
  private FrameSubscriber subscriber;

  private boolean joined;
  private int tick;
  private int heardTick;
  private int windowTick;
  private int repairTicks;
  private boolean repaired;
  private boolean reportedAbsent;
  private boolean closed;

  /**
   * @param root name of the root
   * @param logs finds the interest with a ref
   */
  GroupLeaf(
      LinkChannel channel,
      String root,
      IntFunction<LeafLog> logs,
      Supplier<GroupTransport> transport,
      GroupMeters meters) {
    this.channel = channel;
    this.root = root;
    this.logs = logs;
    this.transport = transport;
    this.meters = meters;
  }

  private void send(GroupRecord sent) {
    channel.send(new LinkRecord.OfGroup(GroupCodec.write(sent)));
  }

  @Override
  public void execute(Runnable task) {
    channel.execute(task);
  }

  @Override
  public void onRecord(byte[] body) {
    GroupRecord received = GroupCodec.read(body);
    if (received instanceof GroupRecord.Join join) {
      onJoin(join);
    } else if (received instanceof GroupRecord.Offer offer) {
      onOffer(offer);
    } else if (received instanceof GroupRecord.Sent sent) {
      onSent(sent);
    } else {
      channel.close("a root does not send this record of a group");
    }
  }

  @Override
  public boolean isJoined() {
    return joined;
  }

  private void onJoin(GroupRecord.Join join) {
    String problem = GroupTransport.problem();
    if (problem != null) {
      log.atWarn().addKeyValue("root", root).addKeyValue("cause", problem).log("multicast.absent");
    } else if (group == null || !isSameSession(join)) {
      unsubscribe();
      group = join;
      subscribe();
    } else {
      group = join;
      if (subscriber != null) {
        subscriber.key(GroupKey.of(join.key(), join.secret()));
      }
    }
  }

  private boolean isSameSession(GroupRecord.Join join) {
    return group.session() == join.session()
        && group.stream() == join.stream()
        && group.port() == join.port()
        && group.address().equals(join.address());
  }

  private void subscribe() {
    GroupAddress address = new GroupAddress(group.address(), group.port());
    String from = address.receiver(channel.localAddress(), group.session());
    subscriber = new FrameSubscriber(from, group.stream(), this);
    subscriber.key(GroupKey.of(group.key(), group.secret()));
    heardTick = tick;
    repairTicks = 0;
    transport.get().add(subscriber);
  }

  private void unsubscribe() {
    if (subscriber != null) {
      transport.get().remove(subscriber);
      subscriber = null;
    }
  }

  private void onOffer(GroupRecord.Offer offer) {
    LeafTopic topic = new LeafTopic(offer.ref(), offer.channel(), offer.epoch());
    LeafLog to = logs.apply(offer.ref());
    if (joined && topic.isOf(to)) {
      topics.values().removeIf(each -> each.ref() == offer.ref());
      topics.put(offer.channel(), topic);
      send(new GroupRecord.Received(List.of(place(topic, to))));
    }
  }

  private static Place place(LeafTopic topic, LeafLog of) {
    return new Place(topic.ref(), topic.channel(), of.offset());
  }

  private void onSent(GroupRecord.Sent sent) {
    List<Place> received = new ArrayList<>();
    for (Place each : sent.places()) {
      LeafTopic topic = topics.get(each.channel());
      LeafLog to = topic == null ? null : logs.apply(topic.ref());
      if (to != null && topic.isOf(to)) {
        topic.onSent(each.offset());
        received.add(place(topic, to));
      }
    }
    if (!received.isEmpty()) {
      send(new GroupRecord.Received(received));
    }
  }

  @Override
  public void onEntries(List<LinkRecord> entries) {
    if (closed || subscriber == null) {
      return;
    }
    heardTick = tick;
    if (!joined) {
      joined = true;
      reportedAbsent = false;
      log.atInfo().addKeyValue("root", root).log("multicast.joined");
      send(new GroupRecord.Joined());
    }
    for (LinkRecord each : entries) {
      if (each instanceof LinkRecord.Entry entry) {
        onEntry(entry);
      }
    }
  }

  private void onEntry(LinkRecord.Entry entry) {
    LeafTopic topic = topics.get(entry.ref());
    LeafLog to = topic == null ? null : logs.apply(topic.ref());
    if (to == null || !topic.isOf(to)) {
      return;
    }
    int passed = topic.onEntry(entry, to);
    if (passed < 0) {
      repair(topic, to);
    } else {
      meters.received(passed);
    }
  }

  private void repair(LeafTopic topic, LeafLog to) {
    repaired = true;
    send(new GroupRecord.Repair(place(topic, to)));
  }

  @Override
  public void onFrameEnd() {
    for (LeafTopic each : topics.values()) {
      if (each.hasHeld()) {
        LeafLog to = logs.apply(each.ref());
        if (to != null && each.isOf(to)) {
          meters.received(each.passHeld(to));
        }
      }
    }
  }

  @Override
  public void onForged() {
    meters.forged();
  }

  @Override
  public void onTick() {
    if (closed) {
      return;
    }
    tick++;
    if (subscriber == null) {
      return;
    }
    if (joined) {
      checkTopics();
      checkGroup();
    } else if (tick - heardTick >= ABSENT_TICKS && !reportedAbsent) {
      reportedAbsent = true;
      log.atWarn()
          .addKeyValue("root", root)
          .addKeyValue("cause", "no frame arrives by multicast")
          .log("multicast.absent");
    }
  }

  private void checkTopics() {
    topics.values().removeIf(each -> !each.isOf(logs.apply(each.ref())));
    for (LeafTopic each : topics.values()) {
      LeafLog to = logs.apply(each.ref());
      if (each.onTick(to)) {
        repair(each, to);
      }
    }
    repairTicks += repaired ? 1 : 0;
    repaired = false;
    if (tick - windowTick >= WINDOW_TICKS) {
      windowTick = tick;
      repairTicks = 0;
    }
  }

  private void checkGroup() {
    if (tick - heardTick >= SILENT_TICKS) {
      leave("no frame arrives by multicast");
    } else if (repairTicks > MAX_REPAIRS) {
      leave("entries were missing, or arrived too fast, " + repairTicks + " times in 10 s");
    } else if (tick % JOINED_TICKS == 0) {
      send(new GroupRecord.Joined());
    }
  }

  /** Receives everything over the link, and joins again later. */
  private void leave(String why) {
    joined = false;
    List<Place> received = new ArrayList<>();
    topics.values().forEach(each -> received.add(place(each, logs.apply(each.ref()))));
    topics.clear();
    log.atWarn().addKeyValue("root", root).addKeyValue("cause", why).log("multicast.left");
    send(new GroupRecord.Received(received));
    send(new GroupRecord.Left(why));
    unsubscribe();
    channel.later(this::rejoin, PAUSE_TICKS * GroupTransport.TICK_MS);
  }

  private void rejoin() {
    if (!closed && subscriber == null && group != null) {
      subscribe();
    }
  }

  @Override
  public void onFailed(String why) {
    if (closed) {
      return;
    }
    log.atWarn().addKeyValue("root", root).addKeyValue("cause", why).log("multicast.absent");
    if (joined) {
      leave(why);
    }
  }

  @Override
  public void onClosed() {
    closed = true;
    unsubscribe();
  }
}
