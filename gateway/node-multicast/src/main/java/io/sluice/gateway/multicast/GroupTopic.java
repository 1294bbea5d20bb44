package io.sluice.gateway.multicast;

import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.link.LinkGroup.RootLog;
import java.util.ArrayList;
import java.util.List;

/**
 * Log that a root sends to its group while at least two leaves can receive it. Gaps, evicted
 * entries and large messages follow over the links of all leaves, from the places which they have
 * confirmed. Bound to the event loop of the links.
 */
final class GroupTopic {
  /** Leaves from which the group pays. */
  private static final int MIN_MEMBERS = 2;

  /** Entries that are sent in one turn. */
  private static final int TURN = 256;

  /** One leaf that follows the log. */
  static final class Member {
    private final RootLog log;
    private boolean confirmed;
    private long reported;

    Member(RootLog log) {
      this.log = log;
    }
  }

  private final int channel;
  private final long epoch;
  private final GroupSender group;
  private final List<Member> members = new ArrayList<>();
  private boolean active;

  /** The log; null before the group has it. */
  private TopicLog source;

  private boolean waiting;

  /** Offset up to which the group was sent entries. */
  private long sent;

  GroupTopic(int channel, long epoch, GroupSender group) {
    this.channel = channel;
    this.epoch = epoch;
    this.group = group;
  }

  int channel() {
    return channel;
  }

  long epoch() {
    return epoch;
  }

  boolean isEmpty() {
    return members.isEmpty();
  }

  void add(Member member) {
    members.add(member);
  }

  /** Removes a leaf, which receives the log over its link again. */
  void remove(Member member) {
    members.remove(member);
    leave(member);
    if (active && confirmed() < MIN_MEMBERS) {
      active = false;
      leaveAll();
    }
  }

  private long confirmed() {
    return members.stream().filter(member -> member.confirmed).count();
  }

  private static void leave(Member member) {
    member.log.ungroup();
  }

  private void leaveAll() {
    members.forEach(GroupTopic::leave);
  }

  /** A leaf has entries up to an offset. */
  void onReceived(Member member, long offset) {
    member.log.onReceived(Math.min(offset, sent));
    if (!member.confirmed) {
      member.confirmed = true;
      if (!active && confirmed() >= MIN_MEMBERS) {
        active = true;
        source = member.log.log();
        sent = source.last();
      }
      members.forEach(this::enter);
    }
  }

  /** A leaf lacks the entries behind an offset. */
  void onRepair(Member member, long offset) {
    if (member.log.isGrouped()) {
      onReceived(member, offset);
      leave(member);
    }
  }

  /** A leaf's log had its turn. */
  void onTurn(Member member) {
    enter(member);
    if (member.log.isGrouped()) {
      send();
    }
  }

  // Entries sent over the link arrive, therefore the leaf may receive others by the group.
  private void enter(Member member) {
    RootLog log = member.log;
    boolean canEnter = active && member.confirmed && !log.isGrouped() && log.isCurrent();
    if (canEnter && log.log() == source && log.epoch() == epoch && log.sent() >= sent) {
      log.group();
    }
  }

  /** Sends the entries that the group was not sent. */
  void send() {
    if (waiting || members.isEmpty()) {
      return;
    }
    TopicLog from = source;
    for (int turn = 0; turn < TURN; turn++) {
      long last = from.last();
      LogEntry next = from.at(sent + 1);
      if (from.epoch() != epoch) {
        leaveAll(); // the announcement of the stream follows
        return;
      }
      if (next == null && sent >= last) {
        return;
      }
      if (next == null || next.isGap() || !GroupSender.fits(next)) {
        sent = next == null ? last : next.offset();
        leaveAll();
        return;
      }
      if (group.isFull()) {
        wait(true);
        return;
      }
      group.send(members.get(0).log.entry(channel, next));
      sent = next.offset();
    }
    wait(false);
  }

  private void wait(boolean forRoom) {
    waiting = true;
    group.later(this, forRoom);
  }

  /** The group continues after it has waited. */
  void onNext() {
    waiting = false;
    if (active) {
      send();
    }
  }

  /** Returns the offset that a leaf is to have by now; -1 if it has confirmed it. */
  long toReport(Member member) {
    if (!member.log.isGrouped() || member.reported == sent && member.log.sent() >= sent) {
      return -1;
    }
    member.reported = sent;
    return sent;
  }
}
