package io.sluice.gateway.link;

import java.util.LinkedHashSet;
import java.util.Set;

/** Leaf's side of a link. Bound to the event loop of the link. */
final class LinkLeaf implements LinkChannel.Listener {
  /** Interval of attempts to grant credit to topics with too many waiting messages. */
  private static final long GRANT_MS = 5;

  private final LinkSource source;
  private final LinkChannel channel;
  private final String root;

  /** Interests that have received entries since they were granted credit. */
  private final Set<NodeInterest> ungranted = new LinkedHashSet<>();

  private boolean granting;

  LinkLeaf(LinkSource source, LinkChannel channel, String root) {
    this.source = source;
    this.channel = channel;
    this.root = root;
    source.onControl(() -> source.onConnected(this));
  }

  /** Returns the connection. Any thread. */
  LinkChannel channel() {
    return channel;
  }

  /** Returns the name of the root. Any thread. */
  String root() {
    return root;
  }

  @Override
  public void onRecord(LinkRecord received) {
    if (received instanceof LinkRecord.Entry entry) {
      NodeInterest interest = interest(entry.ref());
      if (interest != null) {
        interest.onEntry(entry);
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
    } else if (received instanceof LinkRecord.PublishRefused refused) {
      source.publishes().onRefused(refused.ref(), refused.code(), refused.why());
    } else if (received instanceof LinkRecord.Used used) {
      source.onUsed(used.names());
    } else if (received instanceof LinkRecord.State state) {
      source.onControl(() -> source.onState(this, state));
    } else if (received instanceof LinkRecord.OfQueues record && source.queuesOfRoot() != null) {
      source.queuesOfRoot().onRecord(channel, record.body());
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
    // An interest that another link serves has received nothing over this one that counts.
    ungranted.removeIf(interest -> !interest.isServedBy(channel) || interest.grant(channel));
    if (!ungranted.isEmpty() && !granting) {
      granting = true;
      channel.later(
          () -> {
            granting = false;
            onFrameEnd();
          },
          GRANT_MS);
    }
  }

  @Override
  public void onClosed(String why) {
    source.onControl(() -> source.onLost(this, why));
  }
}
