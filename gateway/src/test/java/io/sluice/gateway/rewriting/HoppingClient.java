package io.sluice.gateway.rewriting;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.testkit.RawWebSocket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Client of numbered messages that moves between nodes by docs/PROTOCOL.md, section 8, and fails if
 * a number is missing or doubled without notice. Bound to the test's thread.
 */
final class HoppingClient implements AutoCloseable {
  private static final int OVERLAP = 4_096;
  private static final int IDS = 8;

  private final String topic;
  private final String run;
  private final Set<String> known = new LinkedHashSet<>();
  private final Deque<String> latest = new ArrayDeque<>();
  private final List<String> trace = new ArrayList<>();
  private RawWebSocket socket;
  private String epoch;
  private long offset;
  private long since;
  private long time;

  /** End of the current replay; the position keeps the old offset until its first message. */
  private int replayLeft;

  private boolean hasSnapshot;
  private int last;
  private long latestMs;

  /** True if the next number may be any. */
  private boolean noticed = true;

  private int notices;
  private int recovered;
  private int unrecovered;

  /**
   * @param run description of the run, for failures
   */
  HoppingClient(String topic, String run) {
    this.topic = topic;
    this.run = run;
  }

  /** Moves to another node, whose answer is awaited. */
  void hop(RawWebSocket next) {
    leave();
    socket = next;
    ObjectNode frame = JsonNodeFactory.instance.objectNode();
    frame.put("type", "subscribe").put("ref", 1).put("topic", topic);
    if (epoch != null) {
      frame.set("from", position());
    }
    socket.text(frame.toString());
    JsonNode answer = socket.await("subscribed");
    trace.add(answer.toString());
    boolean isRecovered = answer.path("recovered").asBoolean();
    recovered += epoch != null && isRecovered ? 1 : 0;
    unrecovered += epoch != null && !isRecovered ? 1 : 0;
    if (epoch == null || !isRecovered) {
      notice();
      known.clear();
      latest.clear();
      time = 0;
      hasSnapshot = true;
    }
    if (answer.has("time")) {
      since = answer.get("time").asLong();
    }
    epoch = answer.get("epoch").asText();
    replayLeft = answer.path("replay").asInt();
    offset = answer.get("offset").asLong();
    while (replayLeft > 0) { // a hop within a replay is for others to test
      read();
    }
    hasSnapshot = false;
  }

  private ObjectNode position() {
    ObjectNode position = JsonNodeFactory.instance.objectNode();
    position.put("epoch", epoch).put("offset", offset).put("since", since);
    if (time > 0) {
      position.put("time", time);
    }
    if (!latest.isEmpty()) {
      latest.forEach(position.putArray("ids")::add);
    }
    return position;
  }

  /** Reads until a number arrives, or the newest one has arrived before. */
  void readUntil(int number) {
    while (last < number) {
      read();
    }
  }

  private void read() {
    JsonNode frame = socket.readJson();
    switch (frame.get("type").asText()) {
      case "message" -> onMessage(frame);
      case "gap" -> {
        trace.add(frame.toString());
        since = frame.get("time").asLong();
        offset = frame.get("offset").asLong();
        time = 0;
        replayLeft = 0;
        notice();
      }
      case "caught-up" -> time = frame.get("time").asLong();
      default -> trace.add(frame.toString());
    }
  }

  private void notice() {
    noticed = true;
    notices++;
  }

  private void onMessage(JsonNode frame) {
    String id = frame.get("id").asText();
    replayLeft -= replayLeft > 0 ? 1 : 0;
    offset = hasSnapshot ? offset : Math.max(offset, frame.get("offset").asLong());
    latest.remove(id);
    latest.addLast(id);
    if (latest.size() > IDS) {
      latest.removeFirst();
    }
    latestMs = frame.get("time").asLong();
    int number = frame.get("payload").asInt();
    trace.add(number + " " + id);
    if (!known.add(id)) {
      return; // received before
    }
    if (known.size() > OVERLAP) {
      known.remove(known.iterator().next());
    }
    assertThat(noticed || number == last + 1)
        .as("%s: %d after %d, without notice: %s", run, number, last, trace)
        .isTrue();
    noticed = false;
    last = number;
  }

  /** Returns the time from the start of the position to the latest message. */
  long sinceStartMs() {
    return latestMs - since;
  }

  int recovered() {
    return recovered;
  }

  int unrecovered() {
    return unrecovered;
  }

  int notices() {
    return notices;
  }

  /** Closes the connection, if there is one. */
  void leave() {
    if (socket != null) {
      socket.close();
    }
  }

  @Override
  public void close() {
    leave();
  }
}
