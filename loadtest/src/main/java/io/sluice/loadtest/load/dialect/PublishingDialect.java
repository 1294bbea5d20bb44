package io.sluice.loadtest.load.dialect;

import io.netty.buffer.ByteBuf;

/** Dialect whose clients can publish. Immutable, for any thread. */
public interface PublishingDialect extends Dialect {
  /**
   * Returns the conversation of a client without subscription. It is reported as subscribed when
   * the client may publish.
   */
  Conversation publisher(Conversation.Listener listener);

  /** Appends the bytes that publish a message. */
  void writePublish(ByteBuf out, String topic, byte[] payload);
}
