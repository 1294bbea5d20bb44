package io.sluice.gateway.hub;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Admission;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;

/** A client that does as little as a client can. Bound to the benchmark's thread. */
final class CountingSubscriber implements Subscriber {
  private final HubShard shard;
  private final Encoding encoding;
  private int slot;
  private boolean touched;

  /** Bytes of all frames so far. */
  long bytes;

  CountingSubscriber(HubShard shard, Encoding encoding) {
    this.shard = shard;
    this.encoding = encoding;
    shard.join(this);
  }

  @Override
  public Encoding encoding() {
    return encoding;
  }

  @Override
  public int slot() {
    return slot;
  }

  @Override
  public void slot(int value) {
    slot = value;
  }

  @Override
  public void onFrames(ByteBuf frames) {
    bytes += frames.readableBytes();
    if (!touched) {
      touched = true;
      shard.touched(this);
    }
  }

  @Override
  public void onBatchEnd() {
    touched = false;
  }

  @Override
  public void onSubscribed(Subscription subscription, Admission admission) {}

  @Override
  public void onRefused(Subscription subscription, ErrorCode code, String why) {
    throw new IllegalStateException(why);
  }

  @Override
  public void onGap(String topic, GapReason reason, long offset) {
    throw new IllegalStateException("a gap, so not everything was measured: " + reason);
  }

  @Override
  public long room() {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean isIdle() {
    return true;
  }

  @Override
  public void onBroker(boolean live) {}
}
