package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.SubscriptionStart;

/**
 * Client from the perspective of the hub. Every method is called on the event loop of the client's
 * shard. None may subscribe, unsubscribe or leave the shard during the call; to close itself, a
 * subscriber schedules a separate task.
 */
public interface Subscriber {
  /** Returns the key of the client's user, who takes turns with others at the broker. */
  default String user() {
    return "";
  }

  /** Returns the encoding of this client's messages, which never changes. */
  Encoding encoding();

  /** Returns the window of the client's decompressor; null without context takeover. */
  default CompressionWindow window() {
    return null;
  }

  /** Returns whether the client accepts compressed frames. It is fixed before it subscribes. */
  default boolean inflates() {
    return false;
  }

  /** Returns the index of this client in the shard; only the shard sets it. */
  int slot();

  /** Stores {@link #slot()} for the shard. */
  void slot(int slot);

  /**
   * Accepts one or several complete frames, borrowed until the end of the batch. With the first
   * frame since the last {@link #onBatchEnd} the client must call {@link HubShard#touched}.
   */
  void onFrames(ByteBuf frames);

  /** Returns whether frames from before this batch are still pending. */
  boolean isLagging();

  /**
   * Accepts frames like {@link #onFrames}, unless the client {@linkplain #isLagging lags} or would
   * exceed its buffer limit.
   *
   * @return whether the frames were accepted
   */
  boolean offerFrames(ByteBuf frames);

  /** Flushes all accepted frames at the end of the batch. */
  void onBatchEnd();

  /**
   * Discards all accepted frames, because {@link #onBatchEnd} has failed and the frames are about
   * to be released. The connection is closed, since a part of the frames may have been sent.
   */
  void onBatchFailed();

  /** Confirms the subscription; the replay follows, then the live stream. */
  void onSubscribed(Subscription subscription, SubscriptionStart start);

  /** Refuses the subscription before it became active. */
  void onRefused(Subscription subscription, ErrorCode code, String reason);

  /**
   * Reports a gap of a topic or pattern; the next message is above the offset.
   *
   * @param frame the gap's frame, borrowed until the end of the batch
   */
  void onGap(String topic, GapReason reason, long offset, ByteBuf frame);

  /** Returns the bytes that this client accepts now within its buffer limit. */
  long room();

  /** Returns whether all frames from before this batch have been sent. */
  boolean isIdle();

  /** Reports that {@link HubShard#lostSources} has changed. */
  void onSources();
}
