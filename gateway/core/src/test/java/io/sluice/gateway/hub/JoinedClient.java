package io.sluice.gateway.hub;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.Subscriber;

/** A client that has joined a shard, and what each of them owes it. Bound to the shard's loop. */
abstract class JoinedClient implements Subscriber {
  final HubShard shard;
  private final Encoding encoding;
  private int slot;
  private boolean touched;

  JoinedClient(HubShard shard, Encoding encoding) {
    this.shard = shard;
    this.encoding = encoding;
    shard.join(this);
  }

  /** Marks the client as touched. Call it for everything that the client receives. */
  final void touch() {
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
  public void onBatchFailed() {
    throw new AssertionError("a flush has failed");
  }

  @Override
  public final boolean isLagging() {
    return !isIdle();
  }

  @Override
  public final boolean offerFrames(ByteBuf frames) {
    if (isLagging()) {
      return false;
    }
    onFrames(frames);
    return true;
  }

  @Override
  public final Encoding encoding() {
    return encoding;
  }

  @Override
  public final int slot() {
    return slot;
  }

  @Override
  public final void slot(int value) {
    slot = value;
  }

  @Override
  public long room() {
    return Long.MAX_VALUE;
  }

  @Override
  public boolean isIdle() {
    return true;
  }
}
