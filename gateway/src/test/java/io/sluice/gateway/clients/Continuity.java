package io.sluice.gateway.clients;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * State of one subscription across connections, which prevents unreported losses and duplicates:
 * PROTOCOL.md, section 8. It does no I/O: the caller reports events. One thread at a time.
 */
public final class Continuity {
  private static final int KEPT_IDS = 8;
  private static final int MIN_OVERLAP = 16;

  private final MessageListener listener;

  /** Start of the next subscription, unless messages of this connection replace it. */
  private JsonNode resume;

  /** Null until the node has replied on this connection. */
  private String epoch;

  private long offset;
  private long answerOffset;
  private List<String> ids = new ArrayList<>();
  private Long since;
  private Long time;

  /** Identities of the latest messages, by which duplicates are detected; the oldest first. */
  private final Set<String> recent = new LinkedHashSet<>();

  private int overlap = MIN_OVERLAP;

  /** Number of messages between the latest two caught-up frames. */
  private int sinceEarlier;

  /** Number of messages since the latest caught-up. */
  private int sinceLatest;

  /** Number of replayed messages that are still expected. */
  private int replayLeft;

  /** Set when a part of this connection's replay was received, or there is none. */
  private boolean replayBegun;

  private boolean inSnapshot;

  /** Set when the application has received a message or a gap. */
  private boolean hasDelivered;

  /**
   * @param from {@code "now"}, {@code "snapshot"}, {@code {"last":20}} or a position; null is now
   */
  public Continuity(JsonNode from, MessageListener listener) {
    this.resume = from;
    this.listener = listener;
  }

  /** Returns the position to be stored; null while there is nothing to resume. */
  public JsonNode position() {
    JsonNode next = next();
    return isPosition(next) ? next : null;
  }

  /** Handles a new connection. Returns the value of {@code from}, or null to omit it. */
  public JsonNode onSubscribe() {
    resume = next();
    epoch = null;
    return resume;
  }

  /**
   * Handles the reply {@code subscribed}.
   *
   * @param overlap number of ids to be remembered, as required by the node's hello
   */
  public void onSubscribed(JsonNode answer, int overlap) {
    boolean hadPosition = isPosition(resume);
    boolean recovered = hadPosition && answer.path("recovered").asBoolean();
    boolean lost = hadPosition && !recovered;
    boolean cut = !hadPosition && hasDelivered;
    this.overlap = Math.max(this.overlap, overlap);
    if (lost || cut) {
      recent.clear();
    }
    inSnapshot = lost || (resume != null && resume.asText().equals("snapshot"));
    if (recovered) {
      goOn(resume);
    } else {
      beginAnew(answer);
    }
    epoch = answer.get("epoch").asText();
    answerOffset = answer.get("offset").asLong();
    offset = answerOffset;
    replayLeft = answer.path("replay").asInt();
    replayBegun = replayLeft == 0;
    if (lost) {
      listener.onGap("not-recovered");
    } else if (cut) {
      listener.onGap("snapshot-cut");
    }
  }

  private void goOn(JsonNode position) {
    since = position.has("since") ? position.get("since").asLong() : null;
    time = position.has("time") ? position.get("time").asLong() : null;
    ids = new ArrayList<>();
    // The ids of a stored position are not among the recent ones yet.
    position.path("ids").forEach(id -> remember(id.asText()));
  }

  private void beginAnew(JsonNode answer) {
    since = answer.has("time") ? answer.get("time").asLong() : null;
    time = null;
    ids = new ArrayList<>();
    sinceEarlier = 0;
    sinceLatest = 0;
  }

  /** Handles a message; passes it to the application unless it is a duplicate. */
  public void onMessage(JsonNode message) {
    long at = message.get("offset").asLong();
    if (replayLeft > 0) {
      replayBegun = true;
      replayLeft--;
      offset = replayLeft == 0 ? answerOffset : at;
    } else {
      offset = at;
    }
    sinceLatest++;
    if (remember(message.get("id").asText())) {
      hasDelivered = true;
      listener.onMessage(message);
    }
  }

  /** Handles a gap, which also ends a pending replay. */
  public void onGap(JsonNode gap) {
    offset = gap.get("offset").asLong();
    since = gap.get("time").asLong();
    time = null;
    sinceEarlier = 0;
    sinceLatest = 0;
    replayLeft = 0;
    replayBegun = true;
    hasDelivered = true;
    listener.onGap(gap.get("reason").asText());
  }

  /** Handles a caught-up, which does not apply to unconfirmed subscriptions. */
  public void onCaughtUp(long time) {
    if (epoch == null || replayLeft > 0) {
      return;
    }
    this.time = time;
    sinceEarlier = sinceLatest;
    sinceLatest = 0;
  }

  public boolean isAnswered() {
    return epoch != null;
  }

  private JsonNode next() {
    if (epoch == null || !replayBegun) {
      return resume;
    }
    if (replayLeft > 0 && inSnapshot) {
      return JsonNodeFactory.instance.textNode("snapshot");
    }
    ObjectNode position = JsonNodeFactory.instance.objectNode();
    position.put("epoch", epoch).put("offset", offset);
    if (!ids.isEmpty()) {
      ids.forEach(position.putArray("ids")::add);
    }
    if (since != null) {
      position.put("since", since);
    }
    // Otherwise more messages than are remembered could be repeated.
    if (time != null && sinceEarlier + sinceLatest <= overlap / 2) {
      position.put("time", time);
    }
    return position;
  }

  private static boolean isPosition(JsonNode from) {
    return from != null && from.has("epoch");
  }

  /** Returns whether the id was unknown. */
  private boolean remember(String id) {
    ids.remove(id);
    ids.add(id);
    if (ids.size() > KEPT_IDS) {
      ids.remove(0);
    }
    boolean unknown = !recent.remove(id);
    recent.add(id);
    if (recent.size() > overlap) {
      Iterator<String> oldest = recent.iterator();
      oldest.next();
      oldest.remove();
    }
    return unknown;
  }
}
