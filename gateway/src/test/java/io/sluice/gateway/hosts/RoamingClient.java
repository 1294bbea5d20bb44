package io.sluice.gateway.hosts;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.client.internal.AfterClose;
import io.sluice.gateway.clients.Continuity;
import io.sluice.gateway.clients.MessageListener;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Client of one numbered topic that follows docs/PROTOCOL.md: it resumes by position, moves to
 * another node make before break, and reconnects with jitter. Bound to the clients' thread.
 */
final class RoamingClient implements Link.Listener, MessageListener {
  private static final Pattern NUMBERED = Pattern.compile("SEQ=(\\d+) AFTER=(\\d+)");

  /** Duration after which a connection counts as successful for the backoff. */
  private static final long STABLE_NS = TimeUnit.SECONDS.toNanos(5);

  private final RoamingClients roamers;
  private final String topic;
  private final String home;
  private final Continuity continuity = new Continuity(null, this);
  private final Tally tally = new Tally();
  private Link link;
  private ClientMove move;
  private int failures;
  private long ref;

  /** Epoch of the current subscription's log. */
  private String epoch = "";

  /** Time of the last received data before the subscription was lost; 0 while it is active. */
  private long silentSinceNs = System.nanoTime();

  private long longestSilenceNs;
  private boolean begun;
  private long caughtUpMs;
  private long sinceMs = Long.MAX_VALUE;

  /**
   * Creates an idle client.
   *
   * @param home URL of the only node that it uses; null for the balancer
   */
  RoamingClient(RoamingClients roamers, String topic, String home) {
    this.roamers = roamers;
    this.topic = topic;
    this.home = home;
  }

  /** Connects. */
  void dial() {
    link = roamers.dial(this, home);
  }

  @Override
  public void onHello(Link greeted, JsonNode hello) {
    ref = greeted.subscribe(topic, continuity.onSubscribe());
  }

  @Override
  public void onFrame(Link from, String type, JsonNode frame) {
    switch (type) {
      case "subscribed" -> {
        if (frame.get("ref").asLong() == ref) {
          onSubscribed(from, frame);
        }
      }
      case "message" -> {
        if (continuity.isAnswered()) {
          continuity.onMessage(frame);
        }
      }
      case "gap" -> onGapFrame(frame);
      case "caught-up" -> onCaughtUp(frame.get("time").asLong());
      case "draining" -> onDraining(frame);
      case "redirect" -> onRedirect(from, frame.get("url").asText());
      case "error" -> onError(frame.toString());
      default -> {
        // stale, live, unsubscribed: not relevant without a user interface
      }
    }
  }

  private void onSubscribed(Link from, JsonNode answer) {
    continuity.onSubscribed(answer, from.overlap());
    epoch = answer.get("epoch").asText();
    if (answer.has("time")) {
      sinceMs = answer.get("time").asLong();
      caughtUpMs = 0;
    }
    if (silentSinceNs != 0) {
      noteSilence();
      silentSinceNs = 0;
      begun = true;
    }
  }

  private void noteSilence() {
    if (begun) {
      longestSilenceNs = Math.max(longestSilenceNs, System.nanoTime() - silentSinceNs);
    }
  }

  private void onGapFrame(JsonNode gap) {
    if (!continuity.isAnswered()) {
      return;
    }
    continuity.onGap(gap);
    sinceMs = gap.get("time").asLong();
    caughtUpMs = 0;
    if (move != null) {
      move.onGap();
    }
  }

  private void onCaughtUp(long time) {
    continuity.onCaughtUp(time);
    if (continuity.isAnswered()) {
      caughtUpMs = time;
    }
  }

  private void onDraining(JsonNode draining) {
    roamers.onSentAway();
    stopMove();
    move = new ClientMove(roamers, this, draining.path("url").asText(null), true);
  }

  // A redirect replaces the hello, and the node then closes the connection.
  private void onRedirect(Link from, String url) {
    if (from.helloNs() == 0) {
      if (!from.isRedirected()) {
        roamers.onRedirected();
        from.leave();
        link = roamers.dial(this, url);
      }
    } else if (move == null) {
      roamers.onRebalanced();
      move = new ClientMove(roamers, this, url, false);
    }
  }

  @Override
  public void onEnd(Link ended, int code) {
    if (silentSinceNs == 0) {
      silentSinceNs = ended.lastReceivedNs();
      roamers.onBroken();
    }
    link = null;
    boolean stood = ended.helloNs() != 0 && System.nanoTime() - ended.helloNs() >= STABLE_NS;
    failures = stood ? 0 : failures + 1;
    AfterClose next = AfterClose.of(code);
    if (next == AfterClose.DONT_RETRY) {
      onError("closed with " + code);
      return;
    }
    if (move != null && move.isPending()) {
      return; // it resumes at the new node, or reconnects to the old one
    }
    stopMove();
    boolean atOnce = next == AfterClose.RETRY_ELSEWHERE && failures == 0;
    roamers.schedule(atOnce ? 0 : RoamingClients.backoffMs(failures), this::dial);
  }

  @Override
  public void onError(String what) {
    roamers.onError(what);
  }

  private void stopMove() {
    if (move != null) {
      move.stop();
      move = null;
    }
  }

  /** Returns the position at which another node is to resume. */
  JsonNode position() {
    return continuity.position();
  }

  String topic() {
    return topic;
  }

  /** Returns the epoch of the log that the current subscription reads. */
  String epoch() {
    return epoch;
  }

  /**
   * Continues with another link.
   *
   * @param answer its reply to {@link #position}
   */
  void enter(Link other, JsonNode answer) {
    Link old = link;
    link = other;
    move = null;
    other.setListener(this);
    continuity.onSubscribe();
    onSubscribed(other, answer);
    roamers.onMoved(old != null && old.isOpen());
    if (old != null) {
      old.leave();
    }
  }

  /** Returns whether the client has a connection. */
  boolean hasLink() {
    return link != null;
  }

  /** Handles a move that was given up. */
  void stay() {
    move = null;
    if (link == null) {
      roamers.schedule(RoamingClients.backoffMs(++failures), this::dial);
    }
  }

  /** Closes silent links. */
  void check(long nowNs) {
    if (link != null && link.isDead(nowNs)) {
      link.abort();
    }
    if (move != null) {
      move.check(nowNs);
    }
  }

  @Override
  public void onMessage(JsonNode message) {
    Matcher numbered = NUMBERED.matcher(message.get("payload").asText());
    if (!numbered.matches()) {
      throw new IllegalStateException("not a numbered message: " + message);
    }
    tally.onMessage(Long.parseLong(numbered.group(1)), Long.parseLong(numbered.group(2)));
  }

  @Override
  public void onGap(String reason) {
    tally.onGap(reason.equals("not-recovered") || reason.equals("snapshot-cut"));
  }

  Tally tally() {
    return tally;
  }

  /** Returns whether its subscription is active. */
  boolean isLive() {
    return silentSinceNs == 0;
  }

  /** Returns the longest time without a subscription since the previous call, in ms. */
  double takeSilenceMs() {
    if (silentSinceNs != 0) {
      noteSilence();
    }
    double silenceMs = longestSilenceNs / 1e6;
    longestSilenceNs = 0;
    return silenceMs;
  }

  /** Returns the time up to which it is known to have all messages; 0 if unknown. */
  long caughtUpMs() {
    return caughtUpMs;
  }

  /**
   * Returns the time since which its subscription, or the part after its latest gap, is complete.
   */
  long sinceMs() {
    return sinceMs;
  }

  void stop() {
    stopMove();
    if (link != null) {
      link.leave();
    }
  }
}
