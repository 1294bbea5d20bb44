package io.sluice.gateway.stomp;

import io.netty.buffer.ByteBuf;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import java.util.Map;

/** Encoder of MESSAGE frames from the session's JSON frames. Stateless, for any thread. */
final class QueueMessage {
  /** Beginning of the id of a message that reports a gap. */
  static final String GAP = "gap-";

  private QueueMessage() {}

  /**
   * Returns the value of {@code message-id} and {@code ack} of a delivery.
   *
   * @param id identity of the message, 16 hexadecimal digits
   */
  static String ackId(long ref, long tag, String id) {
    return ref + "-" + tag + "-" + id;
  }

  /** Returns the number of the subscription and the tag, or null if the id is of no delivery. */
  static long[] parsed(String ackId) {
    String[] parts = ackId.split("-", -1);
    if (parts.length != 3) {
      return null;
    }
    try {
      return new long[] {Long.parseLong(parts[0]), Long.parseLong(parts[1])};
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** Returns a message of a queue, or of a durable or shared subscription. */
  static ByteBuf delivery(StompFrames frames, StompSubscription subscription, JsonObject delivery) {
    long tag = delivery.getLong("tag");
    String ackId = ackId(subscription.ref, tag, delivery.getString("id"));
    boolean isAuto = subscription.ack == StompSubscription.Ack.AUTO;
    Object redelivered = delivery.getValue("redelivered");
    String topic = delivery.getString("topic");
    Body body = Body.of(delivery, frames);
    return frames.frame(
        StompFormat.MESSAGE,
        body.isText,
        text -> {
          text.header("subscription", subscription.id());
          text.raw("message-id", ackId);
          text.header("ack", isAuto ? null : ackId);
          text.header(
              "destination",
              topic == null ? subscription.destination() : StompDestination.TOPIC + topic);
          text.header("redelivered", redelivered == null ? null : redelivered.toString());
          text.header("correlation-id", delivery.getString("correlationId"));
          text.header("reply-to", replyTo(delivery, subscription, tag));
          text.header("JMSXGroupID", delivery.getString("group"));
          end(delivery, body, text);
        });
  }

  // The requester of a pending message is answered by its tag: its queue may be temporary.
  private static String replyTo(JsonObject delivery, StompSubscription subscription, long tag) {
    JsonObject replyTo = delivery.getJsonObject("replyTo");
    if (replyTo == null) {
      return null;
    }
    if (subscription.ack != StompSubscription.Ack.AUTO) {
      return StompDestination.REPLY + subscription.ref + "-" + tag;
    }
    String queue = replyTo.getString("queue");
    return queue == null
        ? StompDestination.TOPIC + replyTo.getString("topic")
        : StompDestination.QUEUE + queue;
  }

  /**
   * Returns a reply to a request.
   *
   * @param subscription id of the client's subscription
   */
  static ByteBuf reply(StompFrames frames, String subscription, Awaited request, JsonObject reply) {
    Body body = Body.of(reply, frames);
    return frames.frame(
        StompFormat.MESSAGE,
        body.isText,
        text -> {
          text.header("subscription", subscription);
          text.raw("message-id", reply.getString("id"));
          text.header("destination", StompDestination.TEMPORARY + request.temporary());
          text.header("correlation-id", request.correlationId());
          end(reply, body, text);
        });
  }

  /** Returns a message that reports possibly missing messages. */
  static ByteBuf gap(
      StompFrames frames, StompSubscription subscription, String reason, String position) {
    return frames.frame(
        StompFormat.MESSAGE,
        text -> {
          text.header("subscription", subscription.id());
          text.header("destination", subscription.destination());
          text.header("message-id", GAP + position);
          text.header("gap", reason);
          text.raw("position", position);
          text.end(StompText.body(null));
        });
  }

  private static void end(JsonObject message, Body body, StompText text) {
    text.header("timestamp", message.getLong("time"));
    text.header("type", message.getString("messageType"));
    if ("json".equals(message.getString("encoding"))) {
      text.raw("content-type", "application/json");
    }
    text.header("content-encoding", body.isBase64 ? "base64" : null);
    JsonObject properties = message.getJsonObject("properties");
    if (properties != null) {
      for (Map.Entry<String, Object> each : properties) {
        String name = PropertyHeaders.header(each.getKey());
        if (each.getValue() != null && !PropertyHeaders.isReserved(name)) {
          text.header(name, each.getValue().toString());
        }
      }
    }
    text.end(body.bytes);
  }

  /** Body of a message. */
  private record Body(byte[] bytes, boolean isText, boolean isBase64) {
    static Body of(JsonObject message, StompFrames frames) {
      Object payload = message.getValue("payload");
      if (payload instanceof JsonObject object) {
        return new Body(object.toBuffer().getBytes(), true, false);
      }
      if (payload instanceof JsonArray array) {
        return new Body(array.toBuffer().getBytes(), true, false);
      }
      byte[] text = StompText.body((String) payload);
      if (!"base64".equals(message.getString("encoding"))) {
        return new Body(text, true, false);
      }
      byte[] decoded = Base64.getDecoder().decode((String) payload);
      boolean isText = StompFormat.isText(decoded);
      return isText || !frames.areTexts()
          ? new Body(decoded, isText, false)
          : new Body(text, true, true);
    }
  }
}
