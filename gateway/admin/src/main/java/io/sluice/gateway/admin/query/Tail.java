package io.sluice.gateway.admin.query;

import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.query.LogReader;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.Locale;

/**
 * Position of a tail in the log of a topic, and its rate limit. It reads the log in intervals, so
 * that the data plane does no work for it. Bound to the admin event loop.
 */
final class Tail {
  /** Maximum number of log entries that one step visits. */
  static final int MAX_VISITED = 10_000;

  /** Maximum number of messages per second. */
  static final int RATE = 20;

  private static final long NS_PER_SECOND = 1_000_000_000L;

  private final String topic;
  private final TailOptions options;
  private final PayloadMask mask;
  private LogReader log;
  private long offset;
  private long skipped;
  private double tokens;
  private long refilledNs;

  Tail(String topic, LogReader log, TailOptions options, long nowNs) {
    this.topic = topic;
    this.log = log;
    this.options = options;
    this.mask = new PayloadMask(options);
    this.offset = log.last();
    this.tokens = RATE;
    this.refilledNs = nowNs;
  }

  /** Continues with another log, such as that of an interest that was opened again. */
  void continueWith(LogReader next) {
    if (!next.isSameAs(log)) {
      log = next;
      offset = 0;
    }
  }

  /** Returns the events of the messages since the last step; empty if there are none. */
  Buffer step(long nowNs) {
    refill(nowNs);
    Buffer events = Buffer.buffer();
    long last = log.last();
    if (last - offset > MAX_VISITED) {
      skipped += last - offset - MAX_VISITED;
      offset = last - MAX_VISITED;
    }
    while (offset < last) {
      offset++;
      add(log.at(offset), events);
    }
    return events;
  }

  private void refill(long nowNs) {
    double added = (double) (nowNs - refilledNs) / NS_PER_SECOND * RATE;
    tokens = Math.min(RATE, tokens + added);
    refilledNs = nowNs;
  }

  private void add(Message message, Buffer events) {
    if (message == null) {
      skipped++;
    } else if (TopicPattern.covers(topic, message.topic())) {
      if (tokens < 1) {
        skipped++;
        return;
      }
      tokens--;
      events.appendString("data: " + json(message).encode() + "\n\n");
      skipped = 0;
    }
  }

  private JsonObject json(Message message) {
    JsonObject json =
        new JsonObject()
            .put("offset", offset)
            .put("topic", message.topic())
            .put("at", message.timeMs())
            .put("kind", message.kind().name().toLowerCase(Locale.ROOT))
            .put("bytes", message.payload().length)
            .put("skipped", skipped);
    if (message.properties() != null) {
      json.put("properties", new JsonObject(Buffer.buffer(message.properties())));
    }
    Object payload = mask.shown(message);
    return payload == null ? json : json.put("payload", payload);
  }
}
