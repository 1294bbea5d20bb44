package io.sluice.gateway.multicast;

import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.link.LinkChannel;
import io.sluice.gateway.link.LinkCodec;
import io.sluice.gateway.link.LinkGroup.RootLog;
import io.sluice.gateway.link.LinkRecord;
import io.sluice.gateway.protocol.InterestKey;
import io.vertx.core.buffer.Buffer;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Group of a root: its logs, its keys, and the leaves. Bound to the event loop of the links. */
final class GroupSender implements FramePublisher.Owner {
  private static final Logger log = LoggerFactory.getLogger(GroupSender.class);

  /** Bytes above which a frame gets no further entry. */
  private static final int FRAME_BYTES = 32 * 1024;

  /** Largest message that the group carries: a frame has at most an eighth of a term. */
  private static final int MAX_MESSAGE_BYTES = GroupTransport.TERM_BYTES / 16;

  /** Ticks between the announcement of a key and its use. */
  private static final int KEY_NOTICE = 10;

  private record Followed(InterestKey key, long epoch) {}

  private final GroupAddress address;
  private final GroupTransport transport;
  private final FramePublisher publisher;
  private final GroupMeters meters;
  private final Executor loop;
  private final Set<RootMember> members = new LinkedHashSet<>();
  private final Map<Followed, GroupTopic> topics = new HashMap<>();
  private final Queue<GroupTopic> waitingForRoom = new ArrayDeque<>();
  private final int stream;
  private final int session;
  private GroupKey key = GroupKey.next(1);

  /** The key that follows; null without one. */
  private GroupKey nextKey;

  private int nextKeyTicks;
  private boolean renewAgain;
  private Buffer frame = Buffer.buffer();
  private boolean flushing;
  private boolean opened;
  private int channels;

  /**
   * @param local address of the interface
   */
  GroupSender(
      GroupAddress address,
      String local,
      GroupTransport transport,
      GroupMeters meters,
      Executor loop) {
    SecureRandom random = new SecureRandom();
    this.address = address;
    this.transport = transport;
    this.meters = meters;
    this.loop = loop;
    stream = random.nextInt(1, Integer.MAX_VALUE);
    session = random.nextInt(1, Integer.MAX_VALUE);
    publisher = new FramePublisher(address.sender(local, session), stream, loop, this);
  }

  GroupMeters meters() {
    return meters;
  }

  /** Returns whether the group can carry an entry. */
  static boolean fits(LogEntry entry) {
    return LogEntry.size(entry.message()) <= MAX_MESSAGE_BYTES;
  }

  RootMember serve(LinkChannel leaf) {
    if (!opened) {
      opened = true;
      transport.add(publisher);
    }
    RootMember member = new RootMember(leaf, this);
    members.add(member);
    member.send(join(key));
    if (nextKey != null) {
      member.send(join(nextKey));
    }
    return member;
  }

  private GroupRecord.Join join(GroupKey with) {
    return new GroupRecord.Join(
        address.host(), address.port(), stream, session, with.number(), with.secret().getEncoded());
  }

  /** A link is closed: its leaf must not read what follows. */
  void remove(RootMember member) {
    members.remove(member);
    renewKey();
  }

  private void renewKey() {
    if (nextKey != null) {
      renewAgain = true;
      return;
    }
    nextKey = GroupKey.next(key.number() + 1);
    nextKeyTicks = KEY_NOTICE;
    members.forEach(each -> each.send(join(nextKey)));
  }

  /** Returns the topic of a log. */
  GroupTopic topic(RootLog of) {
    return topics.computeIfAbsent(
        new Followed(of.key(), of.epoch()),
        followed -> new GroupTopic(++channels, followed.epoch(), this));
  }

  /** Removes a topic without members. */
  void remove(GroupTopic topic) {
    topics.values().remove(topic);
  }

  boolean isFull() {
    return publisher.isFull();
  }

  /** Sends an entry, together with others of this turn of the event loop. */
  void send(LinkRecord.Entry entry) {
    meters.sent();
    LinkCodec.write(entry, frame);
    if (frame.length() >= FRAME_BYTES) {
      flush();
    } else if (!flushing) {
      flushing = true;
      loop.execute(
          () -> {
            flushing = false;
            flush();
          });
    }
  }

  private void flush() {
    if (frame.length() > 0) {
      publisher.send(key, frame.getBytes());
      frame = Buffer.buffer();
      transport.wake();
    }
  }

  /** Calls {@link GroupTopic#onNext} when there is room, or after other tasks. */
  void later(GroupTopic topic, boolean forRoom) {
    if (forRoom) {
      waitingForRoom.add(topic);
    } else {
      loop.execute(topic::onNext);
    }
  }

  @Override
  public void onRoom() {
    for (int left = waitingForRoom.size(); left > 0; left--) {
      waitingForRoom.remove().onNext();
    }
  }

  @Override
  public GroupKey key() {
    return key;
  }

  @Override
  public void onTick() {
    if (nextKey != null && --nextKeyTicks <= 0) {
      flush(); // with the key before
      key = nextKey;
      nextKey = null;
      if (renewAgain) {
        renewAgain = false;
        renewKey();
      }
    }
    members.forEach(RootMember::onTick);
  }

  @Override
  public void onFailed(String why) {
    log.atWarn().addKeyValue("cause", why).log("multicast.stopped");
    frame = Buffer.buffer();
    List.copyOf(members).forEach(member -> member.leave(why));
  }
}
