package io.sluice.gateway.stomp;

import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.PositionText;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.websocket.CloseCode;
import io.vertx.core.json.JsonObject;

/**
 * Frames of a client's session, translated into frames for the client; created for one frame. Bound
 * to the client's event loop.
 */
final class StompAnswers {
  private static final String OFFSET = "offset";
  private static final String EPOCH = "epoch";

  /** A selector in errors of the session. */
  private static final String WHERE = "\"where\"";

  private final StompClient client;
  private final StompRequests requests;
  private final StompSubscriptions subscriptions;

  StompAnswers(StompClient client, StompRequests requests, StompSubscriptions subscriptions) {
    this.client = client;
    this.requests = requests;
    this.subscriptions = subscriptions;
  }

  /** Translates a frame; those that STOMP cannot express have no effect. */
  void onFrame(String type, JsonObject frame) {
    switch (type) {
      case "error" -> onError(frame);
      case "subscribed" -> onSubscribed(frame);
      case "consuming" -> onConsuming(frame);
      case "gap" -> onGap(frame);
      case "delivery" -> onDelivery(frame);
      case "reply" -> onReply(frame);
      case "published", "settled", "committed", "unsubscribed", "deleted" -> onAnswer(frame);
      default -> {}
    }
  }

  private static long ref(JsonObject frame) {
    return frame.getLong("ref", ClientFrame.NO_REF);
  }

  private void onAnswer(JsonObject answer) {
    Awaited answered = requests.answered(ref(answer));
    if (answered != null) {
      client.sendReceipt(answered.receipt());
      client.endIfComplete();
    }
  }

  private void onError(JsonObject error) {
    long ref = ref(error);
    if (ref == ClientFrame.NO_REF && error.containsKey("subscription")) {
      return; // an automatic acknowledgement: the message is delivered again
    }
    String code = error.getString("code");
    String message = error.getString("message").replace(WHERE, "header \"selector\"");
    Awaited refused = requests.answered(ref);
    StompSubscription subscription = refused == null ? subscriptions.of(ref) : null;
    if (refused != null && refused.tolerates(code)) {
      client.sendReceipt(refused.receipt());
      client.endIfComplete();
    } else if (refused != null) {
      client.fail(code, message, refused.receipt());
    } else if (subscription != null && subscription.isParent(ref) && code.equals("forbidden")) {
      subscriptions.endParent(subscription); // only the pattern is granted
      answer(subscription);
    } else {
      client.fail(code, message, subscription == null ? null : subscription.receipt);
    }
  }

  private void onSubscribed(JsonObject subscribed) {
    long ref = ref(subscribed);
    StompSubscription subscription = subscriptions.of(ref);
    if (subscription == null) {
      return;
    }
    String epoch = subscribed.getString(EPOCH);
    String position = PositionText.of(epoch, subscribed.getLong(OFFSET));
    subscription.epoch(ref, epoch);
    if (!subscription.isParent(ref) && !subscribed.containsKey("replay")) {
      subscription.position = position;
    }
    if (Boolean.FALSE.equals(subscribed.getBoolean("recovered"))) {
      client.sendFrame(QueueMessage.gap(client.frames(), subscription, "not-recovered", position));
    }
    answer(subscription);
  }

  private void onConsuming(JsonObject consuming) {
    StompSubscription subscription = subscriptions.of(ref(consuming));
    if (subscription != null) {
      answer(subscription);
    }
  }

  /** Answers a subscription that is active. */
  private void answer(StompSubscription subscription) {
    subscription.unanswered--;
    if (subscription.unanswered == 0) {
      requests.opened();
      if (subscription.receipt != null) {
        client.sendFrame(client.frames().subscribed(subscription.receipt, subscription.position));
      }
      subscription.receipt = null;
      subscription.position = null;
    }
  }

  private void onGap(JsonObject gap) {
    long ref = ref(gap);
    String reason = gap.getString("reason");
    StompSubscription subscription = subscriptions.of(ref);
    if (subscription == null || !subscription.gaps) {
      onUnreportedGap(reason);
      return;
    }
    if (gap.containsKey(EPOCH)) {
      subscription.epoch(ref, gap.getString(EPOCH));
    }
    String position = PositionText.of(subscription.epoch(ref), gap.getLong(OFFSET));
    client.sendFrame(QueueMessage.gap(client.frames(), subscription, reason, position));
  }

  // Clients that request no gaps are closed for slowness, as brokers do.
  private void onUnreportedGap(String reason) {
    if (reason.equals("overload")) {
      client.end(CloseCode.SLOW_CONSUMER, "messages were dropped: connect again");
    }
  }

  private void onDelivery(JsonObject delivery) {
    StompSubscription subscription = subscriptions.of(ref(delivery));
    if (subscription == null) {
      return;
    }
    client.sendFrame(QueueMessage.delivery(client.frames(), subscription, delivery));
    if (subscription.ack == StompSubscription.Ack.AUTO) {
      if (subscription.autoAckTag == 0) {
        client.passLater(() -> autoAck(subscription));
      }
      subscription.autoAckTag = delivery.getLong("tag");
    }
  }

  private void autoAck(StompSubscription subscription) {
    long tag = subscription.autoAckTag;
    subscription.autoAckTag = 0;
    client.pass(
        new ClientFrame.Settle(ClientFrame.NO_REF, subscription.ref, tag, true, Settlement.ACK), 0);
  }

  private void onReply(JsonObject reply) {
    Awaited request = requests.answered(ref(reply));
    if (request != null) {
      String id = subscriptions.temporary(request.temporary());
      client.sendFrame(QueueMessage.reply(client.frames(), id, request, reply));
      client.sendReceipt(request.receipt());
      client.endIfComplete();
    }
  }
}
