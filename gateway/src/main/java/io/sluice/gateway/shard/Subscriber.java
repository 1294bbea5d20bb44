package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.SubscriptionStart;

/**
 * A client as the hub sees it. Every method is called on the event loop of the client's shard, and
 * none may subscribe, unsubscribe or leave the shard while it is called; to close itself a
 * subscriber leaves later, by a task of its own.
 */
public interface Subscriber {
  /** The encoding of this client's messages; never changes. */
  Encoding encoding();

  /** Where the shard keeps this client; only the shard sets it. */
  int slot();

  /** Keeps {@link #slot()} for the shard. */
  void slot(int slot);

  /**
   * Takes complete frames, one or several, which are lent until the batch has ended. A client that
   * takes the first since the last {@link #onBatchEnd} says so by {@link HubShard#touched}.
   */
  void onFrames(ByteBuf frames);

  /** Whether the client has not taken what it was handed before this batch. */
  boolean isLagging();

  /**
   * Takes frames like {@link #onFrames}, unless the client {@linkplain #isLagging lags} or would
   * become a slow one.
   *
   * @return whether it took them
   */
  boolean offerFrames(ByteBuf frames);

  /** The batch ends: everything that was taken leaves now. */
  void onBatchEnd();

  /** The broker's consumer stands; first what is replayed follows, then the live stream. */
  void onSubscribed(Subscription subscription, SubscriptionStart start);

  /** The subscription ends before it began. */
  void onRefused(Subscription subscription, ErrorCode code, String why);

  /**
   * Messages of this topic or pattern may be missing here; the next one is above the offset.
   *
   * @param frame says so, lent like those of messages
   */
  void onGap(String topic, GapReason reason, long offset, ByteBuf frame);

  /** Bytes that may be handed over now without making this client a slow one. */
  long room();

  /** Whether all that was handed over before this batch has left the node. */
  boolean isIdle();

  /**
   * The node has lost the broker, or has it back with all of its interests.
   *
   * @param frame says so, lent like those of messages
   */
  void onBroker(boolean live, ByteBuf frame);
}
