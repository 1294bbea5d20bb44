package io.sluice.loadtest.load.dialect;

/** Server-Sent Events, one response per topic. Immutable, for any thread. */
final class SseDialect implements Dialect {
  private final DialectOptions options;

  SseDialect(DialectOptions options) {
    this.options = options;
  }

  @Override
  public Handshake handshake(String topic) {
    return new StreamHandshake(options, topic);
  }

  @Override
  public Conversation conversation(
      Handshake handshake, String topic, Conversation.Listener listener) {
    return new SseConversation(((StreamHandshake) handshake).isChunked(), listener);
  }
}
