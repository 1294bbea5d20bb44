package io.sluice.gateway.streams.events;

import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.streams.route.RefusedRequest;
import io.sluice.gateway.streams.route.UrlQuery;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Request for an event stream. Topics and selector are not validated. Immutable, for any thread.
 *
 * @param topics different topics and patterns, at least one
 * @param data form of the events of messages
 * @param where JMS selector, or null
 * @param from starts of the topics
 */
record EventRequest(
    List<String> topics, EventData data, String where, Delivery delivery, EventStarts from) {
  /** Maximum number of topics, whose positions are in the header {@code Last-Event-ID}. */
  static final int MAX_TOPICS = 64;

  private static final double MIN_RATE = 0.001;
  private static final double MAX_RATE = 1_000;
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * Returns the request.
   *
   * @param topic in the path; empty for none
   * @param lastEventId of the header; null for none
   */
  static EventRequest of(String topic, UrlQuery query, String lastEventId) throws RefusedRequest {
    List<String> topics = topics(topic, query);
    return new EventRequest(
        topics, data(query, topics), where(query), delivery(query), starts(query, lastEventId));
  }

  private static List<String> topics(String topic, UrlQuery query) throws RefusedRequest {
    Set<String> topics = new LinkedHashSet<>();
    if (!topic.isEmpty()) {
      topics.add(topic);
    }
    topics.addAll(query.all("topic"));
    if (topics.isEmpty()) {
      throw new RefusedRequest("no topic: it is missing in the path and in the parameter topic");
    }
    if (topics.size() > MAX_TOPICS) {
      throw new RefusedRequest(
          topics.size() + " topics; a stream has at most " + MAX_TOPICS + ", or patterns");
    }
    return List.copyOf(topics);
  }

  // Only a message names its topic.
  private static EventData data(UrlQuery query, List<String> topics) throws RefusedRequest {
    String form = query.first("data");
    if (form == null) {
      boolean one = topics.size() == 1 && !TopicPattern.isPattern(topics.get(0));
      return one ? EventData.PAYLOAD : EventData.MESSAGE;
    }
    return switch (form) {
      case "payload" -> EventData.PAYLOAD;
      case "message" -> EventData.MESSAGE;
      default -> throw new RefusedRequest("the parameter data is neither payload nor message");
    };
  }

  private static String where(UrlQuery query) throws RefusedRequest {
    String where = query.first("where");
    if (where != null && where.trim().isEmpty()) {
      throw new RefusedRequest("the parameter where is blank");
    }
    return where;
  }

  private static Delivery delivery(UrlQuery query) throws RefusedRequest {
    String mode = query.first("delivery");
    long intervalNs = intervalNs(query.first("rate"));
    if (mode == null || mode.equals("latest") || mode.equals("all") && intervalNs == 0) {
      return new Delivery("latest".equals(mode) || intervalNs > 0, intervalNs);
    }
    throw new RefusedRequest("the parameter delivery is neither all, without rate, nor latest");
  }

  private static long intervalNs(String rate) throws RefusedRequest {
    if (rate == null) {
      return 0;
    }
    try {
      double perSecond = Double.parseDouble(rate);
      if (perSecond >= MIN_RATE && perSecond <= MAX_RATE) {
        return (long) (NANOS_PER_SECOND / perSecond);
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw new RefusedRequest("the parameter rate is not a number from 0.001 to 1000");
  }

  // A browser repeats the URL of a stream that it continues.
  private static EventStarts starts(UrlQuery query, String lastEventId) throws RefusedRequest {
    if (lastEventId != null && !lastEventId.isEmpty()) {
      return EventStarts.ofLastEventId(lastEventId);
    }
    String offset = query.first("offset");
    EventStarts starts = EventStarts.ofOffset(offset == null ? "now" : offset);
    if (starts == null) {
      throw new RefusedRequest(
          "the parameter offset is none of now, snapshot, -1 and the id of an event");
    }
    return starts;
  }

  /** Returns the start of a topic. */
  Start start(String topic) {
    return from.of(topic);
  }
}
