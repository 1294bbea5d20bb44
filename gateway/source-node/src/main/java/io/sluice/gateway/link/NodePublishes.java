package io.sluice.gateway.link;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Publishes of a leaf's clients that the root has not confirmed. Any thread; never blocks. */
final class NodePublishes {
  private static final String NOT_CONNECTED = "no root is connected";
  private static final String UNCONFIRMED = "the root did not confirm the message";
  private static final String FULL = "the publish queue of this node is full";

  private final int max;
  private final GatewayMetrics metrics;
  private final AtomicInteger refs = new AtomicInteger();
  private final Map<Integer, PublishListener> unconfirmed = new ConcurrentHashMap<>();
  private final AtomicInteger pending = new AtomicInteger();

  /** Null while there is no link. */
  private volatile LinkChannel link;

  NodePublishes(int max, GatewayMetrics metrics) {
    this.max = max;
    this.metrics = metrics;
  }

  void onConnected(LinkChannel connected) {
    link = connected;
  }

  /** Refuses all publishes without a result, and later ones. */
  void onLost() {
    link = null;
    unconfirmed.keySet().forEach(ref -> onRefused(ref, ErrorCode.BROKER_UNAVAILABLE, UNCONFIRMED));
  }

  void publish(Publication publication, PublishListener listener) {
    LinkChannel over = link;
    if (over == null) {
      listener.onRefused(ErrorCode.BROKER_UNAVAILABLE, NOT_CONNECTED);
      return;
    }
    if (pending.incrementAndGet() > max) {
      pending.decrementAndGet();
      listener.onRefused(ErrorCode.BROKER_UNAVAILABLE, FULL);
      return;
    }
    int ref = refs.incrementAndGet();
    unconfirmed.put(ref, listener);
    metrics.publishesInFlight(1);
    Requester requester = listener.requester();
    over.execute(
        () ->
            over.send(
                new LinkRecord.Publish(ref, requester.user(), requester.sequence(), publication)));
    if (link != over) { // lost in between
      onRefused(ref, ErrorCode.BROKER_UNAVAILABLE, UNCONFIRMED);
    }
  }

  void onPublished(int ref) {
    PublishListener listener = remove(ref);
    if (listener != null) {
      listener.onPublished();
    }
  }

  void onRefused(int ref, ErrorCode code, String why) {
    PublishListener listener = remove(ref);
    if (listener != null) {
      listener.onRefused(code, why);
    }
  }

  private PublishListener remove(int ref) {
    PublishListener listener = unconfirmed.remove(ref);
    if (listener != null) {
      pending.decrementAndGet();
      metrics.publishesInFlight(-1);
    }
    return listener;
  }
}
