package io.sluice.gateway.broker;

import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.Reply;

/**
 * Receiver of the result of one request. {@link #onReply} or {@link #onRefused} is called once, on
 * any thread, unless the request is cancelled.
 */
public interface ReplyListener {
  /** The broker has accepted the request. Its reply may have arrived before. */
  void onPublished();

  /** The reply has arrived. */
  void onReply(Reply reply);

  /** The request was refused, or no reply arrives. */
  void onRefused(ErrorCode code, String why);

  /** Returns whose request it is. */
  Requester requester();
}
