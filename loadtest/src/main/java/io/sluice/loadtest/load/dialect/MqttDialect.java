package io.sluice.loadtest.load.dialect;

import io.netty.buffer.ByteBuf;

/** MQTT 3.1.1 over WebSocket with QoS 0 and without keep-alive. Immutable, for any thread. */
final class MqttDialect implements PublishingDialect {
  private static final String SUBPROTOCOL = "mqtt";

  private final DialectOptions options;

  MqttDialect(DialectOptions options) {
    this.options = options;
  }

  @Override
  public Handshake handshake(String topic) {
    return new WebSocketHandshake(SUBPROTOCOL, options);
  }

  @Override
  public Conversation conversation(
      Handshake handshake, String topic, Conversation.Listener listener) {
    return new MqttConversation(options.token(), topic, listener);
  }

  @Override
  public Conversation publisher(Conversation.Listener listener) {
    return new MqttConversation(options.token(), null, listener);
  }

  @Override
  public void writePublish(ByteBuf out, String topic, byte[] payload) {
    MqttRequest.writePublish(out, topic, payload);
  }
}
