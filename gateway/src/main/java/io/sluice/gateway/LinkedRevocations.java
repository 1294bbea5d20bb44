package io.sluice.gateway;

import io.sluice.gateway.link.LinkExchange;
import io.sluice.gateway.link.LinkPeer;
import io.sluice.gateway.revocation.RevocationExchange;
import io.sluice.gateway.revocation.RevocationLink;

/** Revocations of a node over its links. For any thread. */
final class LinkedRevocations implements LinkExchange {
  private final RevocationExchange revocations;

  private LinkedRevocations(RevocationExchange revocations) {
    this.revocations = revocations;
  }

  // Nodes without the module of links load no class of it to verify the caller.
  static LinkExchange of(RevocationExchange revocations) {
    return new LinkedRevocations(revocations);
  }

  /** Node of a link. */
  private record Linked(LinkPeer peer) implements RevocationLink {
    @Override
    public boolean isRoot() {
      return peer.isRoot();
    }

    @Override
    public void send(byte[] message) {
      peer.send(message);
    }

    @Override
    public void close(String why) {
      peer.close(why);
    }

    @Override
    public String toString() {
      return peer.name();
    }
  }

  @Override
  public void onOpened(LinkPeer peer) {
    revocations.onLinked(new Linked(peer));
  }

  @Override
  public void onMessage(LinkPeer peer, byte[] message) {
    revocations.onLinkMessage(new Linked(peer), message);
  }

  @Override
  public void onClosed(LinkPeer peer) {
    revocations.onUnlinked(new Linked(peer));
  }
}
