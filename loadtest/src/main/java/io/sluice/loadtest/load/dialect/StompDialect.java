package io.sluice.loadtest.load.dialect;

import io.netty.buffer.ByteBuf;

/** STOMP 1.2 over WebSocket, without heart-beats. Immutable, for any thread. */
final class StompDialect implements PublishingDialect {
  private static final String SUBPROTOCOL = "v12.stomp";

  private final DialectOptions options;

  StompDialect(DialectOptions options) {
    this.options = options;
  }

  @Override
  public Handshake handshake(String topic) {
    return new WebSocketHandshake(SUBPROTOCOL, options);
  }

  @Override
  public Conversation conversation(
      Handshake handshake, String topic, Conversation.Listener listener) {
    return new StompConversation(options.token(), topic, listener);
  }

  @Override
  public Conversation publisher(Conversation.Listener listener) {
    return new StompConversation(options.token(), null, listener);
  }

  @Override
  public void writePublish(ByteBuf out, String topic, byte[] payload) {
    StompRequest.write(
        out, "SEND", payload, "destination", topic, "content-type", "text/plain;charset=utf-8");
  }
}
