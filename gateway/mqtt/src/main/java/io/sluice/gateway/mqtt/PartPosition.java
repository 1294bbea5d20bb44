package io.sluice.gateway.mqtt;

import io.sluice.gateway.protocol.Site;
import io.sluice.gateway.protocol.Start;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Position up to which a client has acknowledged the messages of a part with QoS 1. Bound to the
 * client's event loop.
 */
final class PartPosition {
  private static final int MAX_IDS = 8;
  private static final int EPOCH_DIGITS = 16;

  /** Sent messages that are not acknowledged, and later ones, in order. */
  private final Deque<OutboundMessage> outstanding = new ArrayDeque<>(0);

  /** Messages that an earlier connection sent, by identity; emptied by the replay. */
  private final Map<Long, SentBefore> sentBefore = new HashMap<>(0);

  private final Deque<Long> ids = new ArrayDeque<>(0);

  /** Start of the subscription; the position counts once it is answered. */
  private Start start = Start.NOW;

  private boolean answered;
  private long epoch;
  private Site site = Site.UNNAMED;
  private long sinceMs;
  private long offset;

  /**
   * Message that an earlier connection sent.
   *
   * @param packetId its packet identifier; 0 if it was acknowledged
   */
  record SentBefore(long identity, int packetId) {}

  /** Sets the start, perhaps that of an earlier connection. */
  void begin(Start from) {
    start = from;
    if (from instanceof Start.Position position) {
      offset = position.offset();
      sinceMs = position.sinceMs();
      for (long each : position.ids()) {
        ids.add(each);
      }
    }
  }

  /** Processes the answer of the session to the subscription. */
  void onSubscribed(JsonObject frame, boolean replays) {
    answered = true;
    sinceMs = frame.getLong("time", sinceMs);
    if (!replays || !Boolean.TRUE.equals(frame.getBoolean("recovered"))) {
      offset = frame.getLong("offset");
    }
    String text = frame.getString("epoch");
    epoch = HexFormat.fromHexDigitsToLong(text, 0, EPOCH_DIGITS);
    site =
        text.length() == EPOCH_DIGITS
            ? Site.UNNAMED
            : new Site(HexFormat.fromHexDigits(text, EPOCH_DIGITS + 1, text.length()));
  }

  /** Adds a message of an earlier connection. */
  void addSentBefore(SentBefore sent) {
    sentBefore.put(sent.identity(), sent);
  }

  /** Adds a message; returns what an earlier connection sent of it, or null. */
  SentBefore add(OutboundMessage message) {
    outstanding.add(message);
    return sentBefore.isEmpty() ? null : sentBefore.remove(message.identity());
  }

  void onReplayed() {
    sentBefore.clear();
  }

  /** Moves the position over the acknowledged messages at the beginning. */
  void advance() {
    while (!outstanding.isEmpty() && outstanding.peek().isAcknowledged()) {
      OutboundMessage first = outstanding.poll();
      offset = first.offset();
      if (first.identity() >= 0) {
        ids.add(first.identity());
        if (ids.size() > MAX_IDS) {
          ids.poll();
        }
      }
    }
  }

  /**
   * Returns the start of the same subscription on another connection.
   *
   * @param inSnapshot whether a snapshot of retained messages has not arrived completely
   */
  Start resumption(boolean replaysRetained, boolean inSnapshot) {
    if (!answered) {
      return start;
    }
    return replaysRetained && (inSnapshot || !outstanding.isEmpty())
        ? Start.SNAPSHOT
        : new Start.Position(
            epoch, site, offset, ids.stream().mapToLong(Long::longValue).toArray(), sinceMs, 0);
  }

  /** Returns the messages behind the position that the client has received. */
  List<SentBefore> sent() {
    List<SentBefore> sent = new ArrayList<>(0);
    for (OutboundMessage each : outstanding) {
      if (each.isAcknowledged() || each.isSent()) {
        sent.add(new SentBefore(each.identity(), each.isAcknowledged() ? 0 : each.packetId()));
      }
    }
    sent.addAll(sentBefore.values());
    return sent;
  }
}
