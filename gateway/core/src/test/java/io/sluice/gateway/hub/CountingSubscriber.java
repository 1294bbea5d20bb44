package io.sluice.gateway.hub;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.SubscriptionStart;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.Subscription;

/** Client that only counts the bytes it receives. Bound to the benchmark's thread. */
class CountingSubscriber extends JoinedClient {
  /** Bytes of all frames so far. */
  long bytes;

  CountingSubscriber(HubShard shard, Encoding encoding) {
    super(shard, encoding);
  }

  @Override
  public void onFrames(ByteBuf frames) {
    bytes += frames.readableBytes();
    touch();
  }

  @Override
  public void onSubscribed(Subscription subscription, SubscriptionStart admission) {}

  @Override
  public void onRefused(Subscription subscription, ErrorCode code, String why) {
    throw new IllegalStateException(why);
  }

  @Override
  public void onGap(String topic, GapReason reason, long offset, ByteBuf frame) {
    throw new IllegalStateException("a gap, so not everything was measured: " + reason);
  }

  @Override
  public void onSources() {}
}
