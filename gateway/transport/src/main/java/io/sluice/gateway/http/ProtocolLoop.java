package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.MessageFormat;
import io.sluice.gateway.protocol.MessageFormats;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ProtocolContext;
import io.sluice.gateway.session.Session;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.shard.HubShard;
import java.util.concurrent.TimeUnit;

/** Event loop as open protocols use it. Bound to that loop. */
record ProtocolLoop(
    EventLoop eventLoop,
    HubShard shard,
    SessionPolicy policy,
    SessionFeature.Table features,
    MessageFormats formats)
    implements ProtocolContext {
  @Override
  public Session newSession(Connection connection, Encoding encoding, Credential credential) {
    return new Session(connection, shard, policy, features, encoding, credential);
  }

  @Override
  public Encoding encoding(MessageFormat format) {
    return formats.encoding(format);
  }

  @Override
  public void executeLater(Runnable task, long delayMs) {
    LoopTimers.schedule(eventLoop, task, delayMs, TimeUnit.MILLISECONDS);
  }

  @Override
  public void releaseAfterBatch(ByteBuf buffer) {
    shard.releaseAfterBatch(buffer);
  }
}
