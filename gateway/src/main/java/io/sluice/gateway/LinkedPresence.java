package io.sluice.gateway;

import io.sluice.gateway.link.LinkExchange;
import io.sluice.gateway.link.LinkPeer;
import io.sluice.gateway.presence.LinkedNode;
import io.sluice.gateway.presence.PresenceHub;

/** Presence of a node over its links. For any thread. */
final class LinkedPresence implements LinkExchange {
  private final PresenceHub hub;

  private LinkedPresence(PresenceHub hub) {
    this.hub = hub;
  }

  // Nodes without one of the modules load no class of it to verify the caller.
  static LinkExchange of(PresenceHub hub) {
    return new LinkedPresence(hub);
  }

  /** Node of a link. */
  private record Linked(LinkPeer peer) implements LinkedNode {
    @Override
    public String name() {
      return peer.name();
    }

    @Override
    public boolean isRoot() {
      return peer.isRoot();
    }

    @Override
    public boolean mayReport(String topic) {
      return peer.mayReport(topic);
    }

    @Override
    public boolean maySee(String topic) {
      return peer.maySee(topic);
    }

    @Override
    public void send(byte[] message) {
      peer.send(message);
    }

    @Override
    public boolean isFull() {
      return peer.isFull();
    }

    @Override
    public void close(String why) {
      peer.close(why);
    }
  }

  @Override
  public void onOpened(LinkPeer peer) {
    hub.onLinked(new Linked(peer));
  }

  @Override
  public void onMessage(LinkPeer peer, byte[] message) {
    hub.onLinkMessage(new Linked(peer), message);
  }

  @Override
  public void onClosed(LinkPeer peer) {
    hub.onUnlinked(new Linked(peer));
  }
}
