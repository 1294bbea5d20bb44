package io.sluice.gateway.broker.request;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.ReplyListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.protocol.ErrorCode;

/**
 * Request without a reply so far, and the receiver of the result of its publish. It leaves the
 * table once, and its listener is notified then. Any thread.
 */
final class PendingRequest implements Requests.Request, PublishListener {
  final long number;

  /** Identifier that the reply has, which no other client can guess. */
  final String correlationId;

  final long deadlineNs;
  final ReplyListener listener;

  /** Estimate of the bytes of the message on the heap. */
  final long size;

  private final PendingRequests table;

  /** The message; null once it has been passed to the publisher. */
  private volatile Publication publication;

  PendingRequest(
      PendingRequests table,
      long number,
      String correlationId,
      long deadlineNs,
      Publication publication,
      ReplyListener listener) {
    this.table = table;
    this.number = number;
    this.correlationId = correlationId;
    this.deadlineNs = deadlineNs;
    this.publication = publication;
    this.listener = listener;
    this.size = publication.size();
  }

  /** Returns the message, which is not retained any more; null if it was returned before. */
  Publication takePublication() {
    Publication taken = publication;
    publication = null;
    return taken;
  }

  @Override
  public void cancel() {
    table.end(this, PendingRequests.CANCELLED);
  }

  @Override
  public Requester requester() {
    return listener.requester();
  }

  @Override
  public void onPublished() {
    listener.onPublished();
  }

  @Override
  public void onRefused(ErrorCode code, String why) {
    refuse(code, why);
  }

  /** Ends the request with an error, unless it has ended. */
  void refuse(ErrorCode code, String why) {
    if (table.end(this, code.code())) {
      table.notifyListener(listener, () -> listener.onRefused(code, why));
    }
  }
}
