package io.sluice.gateway.admin.query;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.query.ConsumerState;
import io.sluice.gateway.query.TopicFigures;
import io.vertx.core.json.JsonObject;

/** JSON of topics' figures, and the merged figures of several nodes. Stateless. */
final class TopicJson {
  static final String TOPIC = "topic";
  static final String WHERE = "where";
  static final String RATE = "rate";
  static final String BYTES_RATE = "bytes-rate";
  static final String SUBSCRIBERS = "subscribers";
  static final String LOG = "log";
  static final String LOG_BYTES = "log-bytes";
  static final String LOG_AGE = "log-age-ms";
  static final String LAST_MESSAGE = "last-message-ms";
  static final String GAPS = "gaps";
  static final String CONSUMER = "consumer";

  private TopicJson() {}

  /** Returns the figures of one node. */
  static JsonObject of(TopicFigures topic) {
    JsonObject json = new JsonObject().put(TOPIC, topic.key().topic());
    if (topic.key().hasSelector()) {
      json.put(WHERE, topic.key().selector());
    }
    json.put(RATE, rounded(topic.rate()))
        .put(BYTES_RATE, rounded(topic.bytesRate()))
        .put(SUBSCRIBERS, topic.subscribers())
        .put(LOG, topic.logMessages())
        .put(LOG_BYTES, topic.logBytes())
        .put(GAPS, topic.gaps())
        .put(CONSUMER, topic.consumer().word());
    if (topic.logAgeMs() != TopicFigures.NONE) {
      json.put(LOG_AGE, topic.logAgeMs());
    }
    return topic.hasMessage() ? json.put(LAST_MESSAGE, topic.lastMessageMs()) : json;
  }

  // Three digits after the point: figures for people and for sorting.
  private static double rounded(double rate) {
    return Math.round(Math.max(0, rate) * 1_000) / 1_000.0;
  }

  static InterestKey key(JsonObject topic) {
    return new InterestKey(topic.getString(TOPIC), topic.getString(WHERE));
  }

  /** Adds the figures of another node. Each node receives every message, so rates are maxima. */
  static JsonObject merge(JsonObject first, JsonObject second) {
    JsonObject merged = first.copy();
    max(merged, second, RATE);
    max(merged, second, BYTES_RATE);
    max(merged, second, LOG);
    max(merged, second, LOG_BYTES);
    max(merged, second, LOG_AGE);
    max(merged, second, LAST_MESSAGE);
    merged.put(SUBSCRIBERS, first.getLong(SUBSCRIBERS) + second.getLong(SUBSCRIBERS));
    merged.put(GAPS, first.getLong(GAPS) + second.getLong(GAPS));
    return isActive(second) ? merged : merged.put(CONSUMER, second.getString(CONSUMER));
  }

  private static boolean isActive(JsonObject topic) {
    return topic.getString(CONSUMER).equals(ConsumerState.ACTIVE.word());
  }

  private static void max(JsonObject merged, JsonObject other, String member) {
    Number value = other.getNumber(member);
    Number present = merged.getNumber(member);
    if (value != null && (present == null || value.doubleValue() > present.doubleValue())) {
      merged.put(member, value);
    }
  }
}
