package io.sluice.gatling.engine;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.sluice.gatling.check.BinaryFrame;
import io.sluice.gatling.check.Frames;
import java.util.ArrayList;
import java.util.List;

/**
 * Streams of one virtual user, and the channel numbers of their topics. Owned by the event loop of
 * the user.
 */
final class UserStreams {
  private static final int FEW = 2;

  /** Topic of a channel, and the topic or pattern of the subscriptions that receive it. */
  private record Route(String topic, String destination) {}

  /** Few: a virtual user seldom has more than ten. */
  private final List<ReceivedStream> all = new ArrayList<>(FEW);

  private final IntObjectMap<Route> channels = new IntObjectHashMap<>(FEW);

  void add(ReceivedStream stream) {
    all.add(stream);
  }

  void remove(ReceivedStream stream) {
    all.remove(stream);
  }

  /** Removes all streams and returns them. */
  List<ReceivedStream> removeAll() {
    List<ReceivedStream> removed = List.copyOf(all);
    all.clear();
    channels.clear();
    return removed;
  }

  /** Returns the streams that were opened by a request. */
  List<ReceivedStream> named(String request) {
    return all.stream().filter(stream -> stream.name().request().equals(request)).toList();
  }

  boolean isActive() {
    return all.stream().anyMatch(ReceivedStream::isActive);
  }

  /** Returns a stream; null if it has ended. */
  ReceivedStream byRef(long ref) {
    for (ReceivedStream stream : all) {
      if (stream.ref() == ref && stream.isActive()) {
        return stream;
      }
    }
    return null;
  }

  private ReceivedStream plain(String destination) {
    for (ReceivedStream stream : all) {
      StreamPlan plan = stream.plan();
      boolean isPlain = plan.kind() == StreamPlan.Kind.SUBSCRIPTION && !plan.isTagged();
      if (isPlain && stream.isActive() && stream.destination().equals(destination)) {
        return stream;
      }
    }
    return null;
  }

  /** Returns the stream of a frame {@code message}, {@code gap} or {@code error}, or null. */
  ReceivedStream of(JsonNode frame) {
    if (frame.has("subscription")) {
      return byRef(frame.path("subscription").asLong());
    }
    if (frame.has("ref")) {
      return byRef(frame.path("ref").asLong());
    }
    return plain(frame.path(frame.has("pattern") ? "pattern" : "topic").asText());
  }

  void onSubscribed(JsonNode answer) {
    ReceivedStream stream = of(answer);
    if (stream == null) {
      return;
    }
    stream.onSubscribed(answer);
    if (answer.has("channel")) {
      String topic = answer.path("topic").asText();
      channels.put(answer.path("channel").asInt(), new Route(topic, topic));
    }
  }

  void onChannel(JsonNode frame) {
    Route route = new Route(frame.path("topic").asText(), frame.path("pattern").asText());
    channels.put(frame.path("channel").asInt(), route);
  }

  void onGap(JsonNode gap) {
    ReceivedStream stream = of(gap);
    if (stream != null) {
      stream.onGap(gap);
    }
  }

  void onMessage(JsonNode frame) {
    ReceivedStream stream = of(frame);
    if (stream != null) {
      stream.onMessage(frame);
    }
  }

  void onMessage(BinaryFrame frame) {
    Route route = channels.get(frame.channel());
    if (route == null) {
      throw new Frames.MalformedException(
          "binary message on the unknown channel " + frame.channel());
    }
    ReceivedStream stream = frame.ref() >= 0 ? byRef(frame.ref()) : plain(route.destination);
    if (stream != null) {
      stream.onMessage(frame, route.topic);
    }
  }

  /** Records the loss of the connection. */
  void onLost(String reason) {
    channels.clear();
    for (ReceivedStream stream : all) {
      if (stream.isActive()) {
        stream.onLost(reason);
      }
    }
  }
}
