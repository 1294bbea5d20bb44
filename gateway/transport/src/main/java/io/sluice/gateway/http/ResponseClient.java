package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ProtocolClient;
import io.sluice.gateway.session.ProtocolContext;

/**
 * Client of an open protocol that answers one request with what its session sends. Bound to the
 * event loop of its connection.
 */
public abstract class ResponseClient extends ProtocolClient {
  /** Creates a client without a session. */
  protected ResponseClient(ProtocolContext loop, Connection connection) {
    super(loop, connection);
  }

  /** Processes messages in the format of the session, borrowed during the call. */
  protected abstract void onMessages(ByteBuf messages);

  /** Returns whether no more messages are to be sent for now. */
  protected abstract boolean isFull();
}
