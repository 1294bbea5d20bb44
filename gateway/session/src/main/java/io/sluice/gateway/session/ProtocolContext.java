package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.MessageFormat;

/** Event loop and node as an open protocol uses them. Bound to that loop. */
public interface ProtocolContext {
  /**
   * Creates the session of a client.
   *
   * @param credential of the client, or null
   */
  Session newSession(Connection connection, Encoding encoding, Credential credential);

  /** Returns the encoding of messages in a format of the node. */
  Encoding encoding(MessageFormat format);

  /** Returns what all sessions of the node share; it changes with a reload. */
  SessionPolicy policy();

  /** Runs a task on this loop after a time, also if the client has disconnected since. */
  void executeLater(Runnable task, long delayMs);

  /** Releases a buffer once no batch of this loop uses it. */
  void releaseAfterBatch(ByteBuf buffer);
}
