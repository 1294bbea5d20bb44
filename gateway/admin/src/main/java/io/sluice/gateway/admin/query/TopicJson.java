package io.sluice.gateway.admin.query;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.query.ConsumerState;
import io.sluice.gateway.query.TopicFigures;
import io.vertx.core.json.JsonObject;

/** JSON of topics' figures. Stateless. */
final class TopicJson {
  static final String TOPIC = "topic";
  static final String WHERE = "where";
  static final String SOURCE = "source";
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
    if (topic.source() != null) {
      json.put(SOURCE, topic.source());
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

  /**
   * Returns the figures of an answer.
   *
   * @throws ClassCastException if a member has another type
   * @throws NullPointerException if a member is missing
   */
  static TopicFigures figures(JsonObject topic) {
    return new TopicFigures(
        new InterestKey(topic.getString(TOPIC), topic.getString(WHERE)),
        topic.getString(SOURCE),
        topic.getDouble(RATE),
        topic.getDouble(BYTES_RATE),
        topic.getInteger(SUBSCRIBERS),
        topic.getLong(LOG),
        topic.getLong(LOG_BYTES),
        topic.getLong(LOG_AGE, TopicFigures.NONE),
        topic.getLong(LAST_MESSAGE, TopicFigures.NONE),
        topic.getLong(GAPS),
        ConsumerState.of(topic.getString(CONSUMER)),
        false);
  }
}
