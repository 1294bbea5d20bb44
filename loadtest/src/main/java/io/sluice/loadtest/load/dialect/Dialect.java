package io.sluice.loadtest.load.dialect;

/** Client's side of a protocol, shared by all clients. Immutable, for any thread. */
public interface Dialect {
  /** Returns the handshake of a new connection, which subscribes to {@code topic}. */
  Handshake handshake(String topic);

  /**
   * Returns the conversation of a client after its handshake.
   *
   * @param listener receives its events on the client's event loop
   */
  Conversation conversation(Handshake handshake, String topic, Conversation.Listener listener);
}
