package io.sluice.gateway.link;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishCapacity;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.PublishResults;
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

  private final PublishCapacity capacity;
  private final PublishResults results;
  private final AtomicInteger refs = new AtomicInteger();
  private final Map<Integer, Pending> unconfirmed = new ConcurrentHashMap<>();

  /** Null while there is no link. */
  private volatile LinkChannel link;

  /** A publish without a result. */
  private record Pending(long bytes, PublishListener listener) {}

  NodePublishes(LinkOptions options, GatewayMetrics metrics) {
    this.capacity =
        new PublishCapacity(
            options.publishes(), options.publishBytes(), metrics::publishesInFlight);
    this.results = new PublishResults(metrics);
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
    Requester requester = listener.requester();
    if (over == null) {
      refuse(listener, ErrorCode.BROKER_UNAVAILABLE, NOT_CONNECTED);
      return;
    }
    if (!capacity.reserve(requester.user(), publication.size())) {
      refuse(listener, ErrorCode.BROKER_UNAVAILABLE, FULL);
      return;
    }
    int ref = refs.incrementAndGet();
    unconfirmed.put(ref, new Pending(publication.size(), listener));
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
      results.publish(listener);
    }
  }

  void onRefused(int ref, ErrorCode code, String why) {
    PublishListener listener = remove(ref);
    if (listener != null) {
      refuse(listener, code, why);
    }
  }

  /** Notifies the listener of a refused publish. */
  void refuse(PublishListener listener, ErrorCode code, String why) {
    results.refuse(listener, code, why);
  }

  private PublishListener remove(int ref) {
    Pending publish = unconfirmed.remove(ref);
    if (publish == null) {
      return null;
    }
    capacity.release(publish.listener.requester().user(), publish.bytes);
    return publish.listener;
  }
}
