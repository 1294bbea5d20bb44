package io.sluice.gateway.hosts;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.clients.AfterClose;
import io.sluice.gateway.clients.Continuity;
import io.sluice.gateway.clients.MessageListener;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A client of one numbered topic that does what docs/PROTOCOL.md asks of clients: it goes on by
 * position, leaves for another node before it breaks, and waits with jitter. Bound to the clients'
 * thread.
 */
final class Roamer implements Link.Listener, MessageListener {
  private static final Pattern NUMBERED = Pattern.compile("SEQ=(\\d+) AFTER=(\\d+)");

  /** A connection that stood this long was no failure. */
  private static final long STABLE_NS = TimeUnit.SECONDS.toNanos(5);

  private final Roamers roamers;
  private final String topic;
  private final String home;
  private final Continuity continuity = new Continuity(null, this);
  private final Tally tally = new Tally();
  private Link link;
  private Move move;
  private int failures;
  private long ref;

  /** What the node of the current subscription calls its log. */
  private String epoch = "";

  /** When something was heard last before the subscription was lost; 0 while it stands. */
  private long silentSinceNs = System.nanoTime();

  private long longestSilenceNs;
  private boolean begun;
  private long caughtUpMs;
  private long sinceMs = Long.MAX_VALUE;

  /**
   * Does nothing yet.
   *
   * @param home of the only node that it knows; null for the balancer
   */
  Roamer(Roamers roamers, String topic, String home) {
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
        // stale, live, unsubscribed: nothing that a client without a screen has to do
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
    move = new Move(roamers, this, draining.path("url").asText(null), true);
  }

  // In the place of hello the node closes behind it.
  private void onRedirect(Link from, String url) {
    if (from.helloNs() == 0) {
      if (!from.isRedirected()) {
        roamers.onRedirected();
        from.leave();
        link = roamers.dial(this, url);
      }
    } else if (move == null) {
      roamers.onShed();
      move = new Move(roamers, this, url, false);
    }
  }

  @Override
  public void onEnd(Link ended, int code) {
    if (silentSinceNs == 0) {
      silentSinceNs = ended.heardNs();
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
    if (move != null && move.isUnderWay()) {
      return; // it goes on there, or comes back here
    }
    stopMove();
    boolean atOnce = next == AfterClose.RETRY_ELSEWHERE && failures == 0;
    roamers.schedule(atOnce ? 0 : Roamers.backoffMs(failures), this::dial);
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

  /** Where another node is to go on. */
  JsonNode position() {
    return continuity.position();
  }

  String topic() {
    return topic;
  }

  /** The log that the current subscription reads. */
  String epoch() {
    return epoch;
  }

  /** Goes on with another link, on which this is the answer to {@link #position}. */
  void enter(Link other, JsonNode answer) {
    Link old = link;
    link = other;
    move = null;
    other.handTo(this);
    continuity.onSubscribe();
    onSubscribed(other, answer);
    roamers.onMoved(old != null && old.isOpen());
    if (old != null) {
      old.leave();
    }
  }

  /** Whether there is a connection that the client may leave, or stay with. */
  boolean hasLink() {
    return link != null;
  }

  /** The move has been given up. */
  void stay() {
    move = null;
    if (link == null) {
      roamers.schedule(Roamers.backoffMs(++failures), this::dial);
    }
  }

  /** Looks for links that are silent. */
  void check(long nowNs) {
    if (link != null && link.isDead(nowNs)) {
      link.giveUp();
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

  /** Whether its subscription stands. */
  boolean isLive() {
    return silentSinceNs == 0;
  }

  /** The longest time without a subscription since this was asked last, in ms. */
  double takeSilenceMs() {
    if (silentSinceNs != 0) {
      noteSilence();
    }
    double silenceMs = longestSilenceNs / 1e6;
    longestSilenceNs = 0;
    return silenceMs;
  }

  /** Up to when it is known to have everything; 0 if not. */
  long caughtUpMs() {
    return caughtUpMs;
  }

  /** Since when its subscription, or what follows its latest gap, has everything. */
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
