package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.SubscriptionStart;
import io.sluice.gateway.shard.CompressionWindow;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.Subscriber;
import io.sluice.gateway.shard.Subscription;
import io.sluice.gateway.websocket.CloseCode;

/**
 * Outgoing half of a session with its slow-consumer limit. It is the session's superclass and not a
 * component, which saves an indirection per message. Bound to the event loop of its connection.
 */
abstract class Recipient implements Subscriber {
  /** The client's connection; replaced while an operator traces the session. */
  Connection connection;

  final HubShard shard;
  final SessionPolicy policy;
  private final Encoding encoding;

  /** Null without context takeover. */
  private CompressionWindow window;

  private boolean inflates;

  private boolean touched;

  /** True if earlier bytes were pending when the current batch first wrote to this client. */
  private boolean behind;

  private int slot;

  Recipient(
      Connection connection,
      HubShard shard,
      SessionPolicy policy,
      Encoding encoding,
      CompressionWindow window) {
    this.window = window;
    this.connection = connection;
    this.shard = shard;
    this.policy = policy;
    this.encoding = encoding;
  }

  @Override
  public Encoding encoding() {
    return encoding;
  }

  @Override
  public CompressionWindow window() {
    return window;
  }

  /**
   * Excludes references between compressed messages. Called before the first subscription, because
   * topics list their subscribers by this property.
   */
  final void compressAlone() {
    window = null;
    inflates = false;
  }

  @Override
  public boolean inflates() {
    return inflates;
  }

  /** Sets whether the client accepts compressed frames. */
  void inflates(boolean value) {
    inflates = value;
  }

  @Override
  public int slot() {
    return slot;
  }

  @Override
  public void slot(int value) {
    slot = value;
  }

  /** Returns whether the session sends nothing more. */
  public abstract boolean isClosing();

  /** Ends the session; it sends nothing more. */
  abstract void close(CloseCode code);

  @Override
  public void onFrames(ByteBuf frames) {
    long pending = connection.pendingBytes();
    if (hasRoomFor(frames, pending)) {
      touch(pending);
      connection.write(frames);
    }
  }

  @Override
  public boolean offerFrames(ByteBuf frames) {
    if (isClosing()) {
      return true;
    }
    long pending = connection.pendingBytes();
    if (pending > 0 && (isLagging(pending) || !fitsInHalf(frames, pending))) {
      return false;
    }
    touch(pending);
    connection.write(frames);
    return true;
  }

  // The other half of the slow-consumer limit is reserved for the client's other subscriptions.
  private boolean fitsInHalf(ByteBuf frames, long pending) {
    return pending + frames.readableBytes() <= policy.maxPendingBytes / 2 || isIdle();
  }

  @Override
  public boolean isLagging() {
    return isLagging(connection.pendingBytes());
  }

  // Bytes queued by the current batch alone do not indicate a slow client.
  private boolean isLagging(long pending) {
    return pending > 0 && (!touched || behind);
  }

  @Override
  public void onBatchEnd() {
    touched = false;
    connection.flushInBatch();
  }

  @Override
  public void onBatchFailed() {
    connection.abort();
  }

  @Override
  public void onSubscribed(Subscription subscription, SubscriptionStart start) {
    send(
        policy.frames.subscribed(
            subscription.ref(),
            subscription.topic(),
            start,
            encoding.isBinary(),
            subscription.isTagged(),
            inflates));
  }

  // Half of the slow-consumer limit is reserved for the live stream of its other subscriptions.
  @Override
  public long room() {
    long pending = connection.pendingBytes();
    return pending == 0 ? policy.maxPendingBytes : policy.maxPendingBytes / 2 - pending;
  }

  @Override
  public boolean isIdle() {
    if (touched) {
      connection.flush(); // bytes of the current batch alone do not indicate a slow client
    }
    return connection.pendingBytes() == 0;
  }

  @Override
  public void onGap(String topic, GapReason reason, long offset, ByteBuf frame) {
    onFrames(frame);
  }

  /** Returns whether a delivery of a queue can be sent. */
  public boolean hasRoomForDelivery(int bytes) {
    if (fitsInHalf(bytes, connection.pendingBytes())) {
      return true;
    }
    connection.flush(); // bytes of the current batch alone do not indicate a slow client
    return fitsInHalf(bytes, connection.pendingBytes());
  }

  private boolean fitsInHalf(int bytes, long pending) {
    return pending == 0 || pending + bytes <= policy.maxPendingBytes / 2;
  }

  /** Returns an error frame, which the caller owns. */
  public ByteBuf refusal(long ref, ErrorCode code, String message, Destination destination) {
    policy.metrics.clientError(code.code());
    return policy.frames.error(ref, code, message, destination);
  }

  /** Sends a frame and takes ownership of it. */
  public void send(ByteBuf frame) {
    long pending = connection.pendingBytes();
    if (hasRoomFor(frame, pending)) {
      touch(pending);
      shard.releaseAfterBatch(frame);
      connection.write(frame);
    } else {
      frame.release();
    }
  }

  private boolean hasRoomFor(ByteBuf frame, long pending) {
    if (isClosing()) {
      return false;
    }
    if (fits(frame, pending)) {
      return true;
    }
    connection.flush(); // bytes of the current batch alone do not indicate a slow client
    if (fits(frame, connection.pendingBytes())) {
      return true;
    }
    policy.metrics.dropped("slow-consumer", 1);
    close(CloseCode.SLOW_CONSUMER);
    return false;
  }

  // A client without pending bytes is not slow, even if the frame is large.
  private boolean fits(ByteBuf frame, long pending) {
    return pending == 0 || pending + frame.readableBytes() <= policy.maxPendingBytes;
  }

  private void touch(long pending) {
    if (!touched) {
      shard.touched(this);
      touched = true;
      behind = pending > 0;
    }
  }
}
