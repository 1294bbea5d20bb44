package io.sluice.gateway.hosts;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * ClientMove of a client to another node. The client keeps the connection to the old node until the
 * new one has confirmed the subscription. A failed attempt is repeated if the old node drains. If
 * the old node only named a better one, the move ends. Bound to the clients' thread.
 */
final class ClientMove implements Link.Listener {
  private final RoamingClients roamers;
  private final RoamingClient roamer;
  private final boolean isUrgent;
  private Link link;
  private String requestedEpoch;
  private long ref;
  private int failures;
  private boolean stopped;

  /**
   * Connects at once.
   *
   * @param url target; null for the balancer
   * @param isUrgent whether the client cannot remain at the old node
   */
  ClientMove(RoamingClients roamers, RoamingClient roamer, String url, boolean isUrgent) {
    this.roamers = roamers;
    this.roamer = roamer;
    this.isUrgent = isUrgent;
    this.link = dial(url);
  }

  private Link dial(String url) {
    if (isUrgent) {
      roamers.onLeaving();
    }
    return roamers.dial(this, url);
  }

  @Override
  public void onHello(Link greeted, JsonNode hello) {
    subscribe();
  }

  private void subscribe() {
    requestedEpoch = roamer.epoch();
    ref = link.subscribe(roamer.topic(), roamer.position());
  }

  /** Handles a gap of the old node: the position of the pending request is obsolete. */
  void onGap() {
    if (ref != 0) {
      link.unsubscribe(roamer.topic());
      subscribe();
    }
  }

  @Override
  public void onFrame(Link from, String type, JsonNode frame) {
    switch (type) {
      case "subscribed" -> {
        if (frame.get("ref").asLong() == ref) {
          onSubscribed(frame);
        }
      }
      case "redirect" -> onRedirect(frame.get("url").asText());
      case "error" -> fail();
      default -> {
        // frames of the old node still apply
      }
    }
  }

  private void onSubscribed(JsonNode answer) {
    if (answer.get("epoch").asText().equals(requestedEpoch)) {
      fail(); // the balancer has not noticed yet that this node drains
    } else {
      stopped = true;
      roamer.enter(link, answer);
    }
  }

  @Override
  public void onError(String what) {
    roamers.onError(what);
  }

  // A redirect replaces the hello.
  private void onRedirect(String url) {
    if (link.helloNs() == 0 && !link.isRedirected()) {
      roamers.onRedirected();
      link.leave();
      link = dial(url);
    }
  }

  private void fail() {
    link.leave();
    onEnd(link, 0);
  }

  @Override
  public void onEnd(Link ended, int code) {
    link = null;
    ref = 0;
    if (stopped) {
      return;
    }
    if (isUrgent && roamer.hasLink()) {
      roamers.schedule(RoamingClients.backoffMs(++failures), this::retry);
    } else {
      stopped = true;
      roamer.stay();
    }
  }

  private void retry() {
    if (!stopped) {
      link = dial(null);
    }
  }

  /** Returns whether an attempt is pending. */
  boolean isPending() {
    return link != null;
  }

  /** Closes a silent link. */
  void check(long nowNs) {
    if (link != null && link.isDead(nowNs)) {
      link.abort();
    }
  }

  /** Cancels the move. */
  void stop() {
    stopped = true;
    if (link != null) {
      link.leave();
    }
  }
}
