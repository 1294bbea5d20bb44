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
 * What one subscription keeps across connections, so that no message is missed in silence and none
 * comes twice: PROTOCOL.md, section 8. It does no I/O: it is told what comes. One thread at a time.
 */
public final class Continuity {
  private static final int KEPT_IDS = 8;
  private static final int LEAST_OVERLAP = 16;

  private final MessageListener listener;

  /** With what the subscription begins next, until this connection's messages say otherwise. */
  private JsonNode resume;

  /** Null until the node has answered on this connection. */
  private String epoch;

  private long offset;
  private long answerOffset;
  private List<String> ids = new ArrayList<>();
  private Long since;
  private Long time;

  /** What a message must not be among; the oldest first. */
  private final Set<String> recent = new LinkedHashSet<>();

  private int overlap = LEAST_OVERLAP;

  /** Messages between the latest caught-up and the one before, and since the latest. */
  private int sinceEarlier;

  private int sinceLatest;

  /** Replayed messages that are still to come. */
  private int replayLeft;

  /** Something of this connection's replay has come, or there is none. */
  private boolean replayBegun;

  private boolean inSnapshot;

  /** The application was given a message, or told of a gap. */
  private boolean told;

  /**
   * @param from {@code "now"}, {@code "snapshot"}, {@code {"last":20}} or a position; null is now
   */
  public Continuity(JsonNode from, MessageListener listener) {
    this.resume = from;
    this.listener = listener;
  }

  /** What is to be kept now; null while there is nothing to which one could return. */
  public JsonNode position() {
    JsonNode next = next();
    return isPosition(next) ? next : null;
  }

  /** A new connection stands: returns the value of {@code from}, or null to leave it out. */
  public JsonNode onSubscribe() {
    resume = next();
    epoch = null;
    return resume;
  }

  /** The node has answered {@code subscribed}; its hello wants {@code overlap} ids remembered. */
  public void onSubscribed(JsonNode answer, int overlap) {
    boolean hadPosition = isPosition(resume);
    boolean recovered = hadPosition && answer.path("recovered").asBoolean();
    boolean lost = hadPosition && !recovered;
    boolean cut = !hadPosition && told;
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
    // Those of a position that the application has kept are not among the recent ones yet.
    position.path("ids").forEach(id -> remember(id.asText()));
  }

  private void beginAnew(JsonNode answer) {
    since = answer.has("time") ? answer.get("time").asLong() : null;
    time = null;
    ids = new ArrayList<>();
    sinceEarlier = 0;
    sinceLatest = 0;
  }

  /** A message has come; it goes to the application unless that has had it. */
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
      told = true;
      listener.onMessage(message);
    }
  }

  /** A gap has come; a replay that is under way ends with it. */
  public void onGap(JsonNode gap) {
    offset = gap.get("offset").asLong();
    since = gap.get("time").asLong();
    time = null;
    sinceEarlier = 0;
    sinceLatest = 0;
    replayLeft = 0;
    replayBegun = true;
    told = true;
    listener.onGap(gap.get("reason").asText());
  }

  /** A caught-up has come. It says nothing of a subscription that is not answered yet. */
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
    // Otherwise more could be sent again than is remembered.
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
