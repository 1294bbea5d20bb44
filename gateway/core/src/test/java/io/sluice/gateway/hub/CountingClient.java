package io.sluice.gateway.hub;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.protocol.SubscriptionStart;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.Subscription;
import java.util.ArrayList;
import java.util.List;

/** Client that only counts the work of its loop. Bound to its shard's loop. */
final class CountingClient extends JoinedClient {
  /** Deliveries of an event loop to all of its clients. */
  static final class Work {
    /** Messages, gaps and answers received by clients. */
    long deliveries;

    /** Calls to clients; consecutive messages count as one. */
    long visits;
  }

  private final Work work;
  private final Runnable atBatchEnd;
  private final List<Subscription> subscriptions = new ArrayList<>();

  /** Work of the loop when this client received its last message. */
  long lastMessageAt;

  long messages;
  long flushes;

  CountingClient(HubShard shard, Work work) {
    this(shard, work, () -> {});
  }

  CountingClient(HubShard shard, Work work, Runnable atBatchEnd) {
    super(shard, Encoding.JSON);
    this.work = work;
    this.atBatchEnd = atBatchEnd;
  }

  void subscribe(String topic) {
    subscriptions.add(
        shard.subscribe(this, InterestKey.of(topic), 1, false, Start.NOW, Delivery.ALL));
  }

  @Override
  public void onFrames(ByteBuf frames) {
    int count = count(frames.duplicate());
    messages += count;
    delivered(count);
    lastMessageAt = work.deliveries;
  }

  private static int count(ByteBuf frames) {
    int count = 0;
    while (frames.isReadable()) {
      frames.skipBytes(1);
      int length = frames.readUnsignedByte();
      frames.skipBytes(length == 126 ? frames.readUnsignedShort() : length);
      count++;
    }
    return count;
  }

  private void delivered(int count) {
    work.deliveries += count;
    work.visits++;
    touch();
  }

  @Override
  public void onBatchEnd() {
    super.onBatchEnd();
    flushes++;
    atBatchEnd.run();
  }

  @Override
  public void onSubscribed(Subscription subscription, SubscriptionStart admission) {
    delivered(1);
  }

  @Override
  public void onRefused(Subscription subscription, ErrorCode code, String why) {
    throw new AssertionError(subscription.topic() + " was refused: " + why);
  }

  @Override
  public void onGap(String topic, GapReason reason, long offset, ByteBuf frame) {
    delivered(1);
  }

  @Override
  public void onSources() {}
}
