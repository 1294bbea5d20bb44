package io.sluice.gateway.link;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;

/** Leaf's side of a link. Bound to the event loop of the link. */
final class LinkLeaf implements LinkChannel.Listener {
  /** Interval of attempts to grant credit to topics with too many waiting messages. */
  private static final long GRANT_MS = 5;

  private final LinkSource source;
  private final LinkChannel channel;
  private final LinkRecord.Hello root;

  /** Interests that have received entries since they were granted credit. */
  private final Set<NodeInterest> ungranted = new LinkedHashSet<>();

  private final LinkLag lag = new LinkLag();

  /** Null without their module. */
  private final LinkGroup.Leaf group;

  private boolean granting;

  /** Null without presence over this link. */
  private LinkPeer peer;

  /** Null without revocations over this link. */
  private LinkPeer sender;

  LinkLeaf(LinkSource source, LinkChannel channel, LinkRecord.Hello root) {
    this.source = source;
    this.channel = channel;
    this.root = root;
    this.group = source.join(channel, root.node(), this::interest);
    source.onControl(() -> source.onConnected(this));
  }

  /** Returns the connection. Any thread. */
  LinkChannel channel() {
    return channel;
  }

  /** Returns the name of the root. Any thread. */
  String root() {
    return root.node();
  }

  /** Returns whether the root reads messages back. Any thread. */
  boolean readsBack() {
    return root.capabilities().contains(LinkCodec.READ_BACK);
  }

  /** Returns whether this node receives the root's group. Event loop of the link. */
  boolean isMulticast() {
    return group != null && group.isJoined();
  }

  /** Returns the latest lag that the root has reported. Any thread. */
  LinkLag lag() {
    return lag;
  }

  /**
   * Exchanges presence with the root from now on. Any thread.
   *
   * @param presence may be null
   * @param name common to roots that replace each other
   * @param topics tests topics of the root
   */
  void join(LinkExchange presence, String name, Predicate<String> topics) {
    if (presence != null && root.capabilities().contains(LinkPeer.PRESENCE)) {
      LinkPeer joined =
          new LinkPeer(channel, name, true, topics, topics, LinkRecord.OfPresence::new);
      presence.onOpened(joined);
      channel.execute(() -> joined(presence, joined));
    }
  }

  private void joined(LinkExchange presence, LinkPeer joined) {
    if (channel.isClosed()) {
      presence.onClosed(joined);
    } else {
      peer = joined;
    }
  }

  /**
   * Receives the revocations of the root from now on. Any thread.
   *
   * @param revocations may be null
   */
  void receive(LinkExchange revocations) {
    if (revocations != null && root.capabilities().contains(LinkPeer.REVOCATIONS)) {
      channel.execute(
          () -> {
            if (!channel.isClosed()) {
              sender = LinkPeer.ofRevocations(channel, "root " + root.node(), true);
              revocations.onOpened(sender);
            }
          });
    }
  }

  @Override
  public void onRecord(LinkRecord received) {
    if (received instanceof LinkRecord.Entry entry) {
      NodeInterest interest = interest(entry.ref());
      if (interest != null) {
        interest.onEntry(entry);
        ungranted.add(interest);
      }
    } else if (received instanceof LinkRecord.Stored stored) {
      NodeInterest interest = interest(stored.ref());
      if (interest != null) {
        interest.onStored(stored);
        ungranted.add(interest);
      }
    } else if (received instanceof LinkRecord.Gap gap) {
      NodeInterest interest = interest(gap.ref());
      if (interest != null) {
        interest.onGap(gap);
      }
    } else if (received instanceof LinkRecord.Begin begun) {
      NodeInterest interest = interest(begun.ref());
      if (interest != null) {
        interest.onBegin(begun);
      }
    } else if (received instanceof LinkRecord.Published published) {
      source.publishes().onPublished(published.ref());
    } else {
      onRareRecord(received);
    }
  }

  private void onRareRecord(LinkRecord received) {
    if (received instanceof LinkRecord.Live live) {
      NodeInterest interest = interest(live.ref());
      if (interest != null) {
        interest.onLogRead();
        source.onControl(() -> source.onLive(this, interest));
      }
    } else if (received instanceof LinkRecord.Refused refused) {
      NodeInterest interest = interest(refused.ref());
      if (interest != null) {
        source.onControl(() -> source.onRefused(this, interest, refused.code(), refused.why()));
      }
    } else if (received instanceof LinkRecord.Confirmed confirmed) {
      NodeInterest interest = interest(confirmed.ref());
      if (interest != null) {
        interest.onConfirmed(confirmed);
      }
    } else if (received instanceof LinkRecord.Lag reported) {
      lag.set(reported);
    } else if (received instanceof LinkRecord.PublishRefused refused) {
      source.publishes().onRefused(refused.ref(), refused.code(), refused.why());
    } else if (received instanceof LinkRecord.Used used) {
      source.onUsed(used.names());
    } else if (received instanceof LinkRecord.State state) {
      source.onControl(() -> source.onState(this, state));
    } else if (received instanceof LinkRecord.OfQueues record && source.queuesOfRoot() != null) {
      source.queuesOfRoot().onRecord(channel, record.body());
    } else if (received instanceof LinkRecord.OfPresence record && peer != null) {
      peer.onMessage(record.body(), source.presence());
    } else if (received instanceof LinkRecord.OfRevocations record && sender != null) {
      sender.onMessage(record.body(), source.revocations());
    } else if (received instanceof LinkRecord.OfGroup record && group != null) {
      group.onRecord(record.body());
    } else {
      channel.close("a root does not send this record");
    }
  }

  /** Returns the interest that this link serves; null if it was closed. */
  private NodeInterest interest(int ref) {
    NodeInterest interest = source.interest(ref);
    return interest != null && interest.isServedBy(channel) ? interest : null;
  }

  @Override
  public void onFrameEnd() {
    if (group != null) {
      group.onFrameEnd();
    }
    grant();
  }

  private void grant() {
    // An interest that another link serves has received nothing over this one that counts.
    ungranted.removeIf(interest -> !interest.isServedBy(channel) || interest.grant(channel));
    if (!ungranted.isEmpty() && !granting) {
      granting = true;
      channel.later(
          () -> {
            granting = false;
            grant();
          },
          GRANT_MS);
    }
  }

  @Override
  public void onClosed(String why) {
    if (peer != null) {
      source.presence().onClosed(peer);
    }
    if (sender != null) {
      source.revocations().onClosed(sender);
    }
    if (group != null) {
      group.onClosed();
    }
    source.onControl(() -> source.onLost(this, why));
  }
}
