package io.sluice.gateway.hosts;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The way of a client to another node while it stays with the old one until the new one has
 * answered. A try that fails is followed by others where the node drains, and is the end of it
 * where the node only knew a better place. Bound to the clients' thread.
 */
final class Move implements Link.Listener {
  private final Roamers roamers;
  private final Roamer roamer;
  private final boolean isUrgent;
  private Link link;
  private String askedEpoch;
  private long ref;
  private int failures;
  private boolean stopped;

  /**
   * Begins at once.
   *
   * @param url where to; null for the balancer
   * @param isUrgent whether the client can't stay
   */
  Move(Roamers roamers, Roamer roamer, String url, boolean isUrgent) {
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
    ask();
  }

  private void ask() {
    askedEpoch = roamer.epoch();
    ref = link.subscribe(roamer.topic(), roamer.position());
  }

  /** The old node has told of a gap: what was asked for before is out of order now. */
  void onGap() {
    if (ref != 0) {
      link.unsubscribe(roamer.topic());
      ask();
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
        // the old node still counts
      }
    }
  }

  private void onSubscribed(JsonNode answer) {
    if (answer.get("epoch").asText().equals(askedEpoch)) {
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

  // In the place of hello.
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
      roamers.schedule(Roamers.backoffMs(++failures), this::tryAgain);
    } else {
      stopped = true;
      roamer.stay();
    }
  }

  private void tryAgain() {
    if (!stopped) {
      link = dial(null);
    }
  }

  /** Whether a try has begun that has not failed. */
  boolean isUnderWay() {
    return link != null;
  }

  /** Looks for a link that is silent. */
  void check(long nowNs) {
    if (link != null && link.isDead(nowNs)) {
      link.giveUp();
    }
  }

  /** The client needs no other link. */
  void stop() {
    stopped = true;
    if (link != null) {
      link.leave();
    }
  }
}
