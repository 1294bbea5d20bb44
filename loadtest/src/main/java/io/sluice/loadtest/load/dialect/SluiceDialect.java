package io.sluice.loadtest.load.dialect;

/** Sluice's own protocol in one encoding. Immutable, for any thread. */
final class SluiceDialect implements Dialect {
  private final String subprotocol;
  private final DialectOptions options;

  SluiceDialect(String subprotocol, DialectOptions options) {
    this.subprotocol = subprotocol;
    this.options = options;
  }

  @Override
  public Handshake handshake(String topic) {
    return new WebSocketHandshake(subprotocol, options);
  }

  @Override
  public Conversation conversation(
      Handshake handshake, String topic, Conversation.Listener listener) {
    boolean takeover = ((WebSocketHandshake) handshake).isTakeover();
    return new SluiceConversation(options, topic, takeover, listener);
  }
}
