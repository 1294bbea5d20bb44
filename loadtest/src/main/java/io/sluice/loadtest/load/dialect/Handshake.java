package io.sluice.loadtest.load.dialect;

import io.netty.buffer.ByteBuf;

/** Request that opens a client's connection, and the checks of its response. One client uses it. */
public interface Handshake {
  /** Appends the request. */
  void writeRequest(ByteBuf out);

  /**
   * Reads the head of the response but not the body.
   *
   * @return whether the head is complete or longer than allowed
   */
  boolean read(ByteBuf in);

  /**
   * Returns the fault of the complete response, or null.
   *
   * @param body bytes after the head, which may contain the reason of a rejection
   */
  String fault(ByteBuf body);
}
