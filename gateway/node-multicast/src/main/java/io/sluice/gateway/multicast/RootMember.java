package io.sluice.gateway.multicast;

import io.sluice.gateway.link.LinkChannel;
import io.sluice.gateway.link.LinkGroup;
import io.sluice.gateway.link.LinkGroup.RootLog;
import io.sluice.gateway.link.LinkRecord;
import io.sluice.gateway.multicast.GroupRecord.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Root's side of one leaf's membership. Bound to the event loop of the links. */
final class RootMember implements LinkGroup.Root {
  private static final Logger log = LoggerFactory.getLogger(RootMember.class);

  /** Log of the leaf that was offered. */
  private record Offered(RootLog log, GroupTopic topic, GroupTopic.Member member) {}

  private final LinkChannel channel;
  private final GroupSender group;
  private final Map<Integer, Offered> offered = new HashMap<>();

  /** Logs that the leaf has opened. */
  private final Map<Integer, RootLog> logs = new HashMap<>();

  private boolean joined;

  RootMember(LinkChannel channel, GroupSender group) {
    this.channel = channel;
    this.group = group;
  }

  void send(GroupRecord sent) {
    channel.send(new LinkRecord.OfGroup(GroupCodec.write(sent)));
  }

  @Override
  public void onRecord(byte[] body) {
    GroupRecord received = GroupCodec.read(body);
    if (received instanceof GroupRecord.Received places) {
      places.places().forEach(place -> onPlace(place, false));
    } else if (received instanceof GroupRecord.Repair repair) {
      group.meters().repair();
      onPlace(repair.place(), true);
    } else if (received instanceof GroupRecord.Joined) {
      join();
    } else if (received instanceof GroupRecord.Left left) {
      leave(left.why());
    } else {
      channel.close("a leaf does not send this record of a group");
    }
  }

  private void onPlace(Place place, boolean isRepair) {
    Offered at = offered.get(place.ref());
    if (at == null || at.topic().channel() != place.channel()) {
      return; // closed, or of an earlier log
    }
    if (isRepair) {
      at.topic().onRepair(at.member(), place.offset());
    } else {
      at.topic().onReceived(at.member(), place.offset());
    }
  }

  private void join() {
    if (!joined) {
      joined = true;
      group.meters().members(1);
      log.atInfo().addKeyValue("peer", channel.peer()).log("multicast.joined");
      List.copyOf(logs.values()).forEach(this::onTurn);
    }
  }

  @Override
  public boolean isJoined() {
    return joined;
  }

  /** Sends everything over the link, until the leaf joins again. */
  void leave(String why) {
    if (joined) {
      joined = false;
      group.meters().members(-1);
      group.meters().fallback();
      log.atWarn()
          .addKeyValue("peer", channel.peer())
          .addKeyValue("cause", why)
          .log("multicast.left");
    }
    List.copyOf(offered.values()).forEach(this::withdraw);
  }

  private void withdraw(Offered ended) {
    offered.remove(ended.log().ref());
    ended.topic().remove(ended.member());
    if (ended.topic().isEmpty()) {
      group.remove(ended.topic());
    }
  }

  @Override
  public void onTurn(RootLog turned) {
    Offered at = offered.get(turned.ref());
    if (at != null && (at.log() != turned || at.topic().epoch() != turned.epoch())) {
      withdraw(at);
      at = null;
    }
    logs.put(turned.ref(), turned);
    if (at != null) {
      at.topic().onTurn(at.member());
    } else if (joined && turned.isCurrent()) {
      offer(turned);
    }
  }

  private void offer(RootLog turned) {
    GroupTopic topic = group.topic(turned);
    GroupTopic.Member member = new GroupTopic.Member(turned);
    topic.add(member);
    offered.put(turned.ref(), new Offered(turned, topic, member));
    send(new GroupRecord.Offer(turned.ref(), topic.channel(), turned.epoch()));
  }

  @Override
  public void onLinkEntry() {
    group.meters().sentOverLink();
  }

  @Override
  public void onClosed(RootLog closed) {
    logs.remove(closed.ref(), closed);
    Offered at = offered.get(closed.ref());
    if (at != null && at.log() == closed) {
      withdraw(at);
    }
  }

  @Override
  public void onClosed() {
    boolean wasJoined = joined;
    joined = false;
    if (wasJoined) {
      group.meters().members(-1);
    }
    leave("");
    group.remove(this);
  }

  void onTick() {
    List<Place> places = new ArrayList<>();
    for (Offered each : offered.values()) {
      long sent = each.topic().toReport(each.member());
      if (sent >= 0) {
        places.add(new Place(each.log().ref(), each.topic().channel(), sent));
      }
    }
    if (!places.isEmpty()) {
      send(new GroupRecord.Sent(places));
    }
  }
}
