package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.hub.HubShard;
import io.sluice.gateway.hub.Subscriber;
import io.sluice.gateway.hub.Subscription;
import io.sluice.gateway.protocol.Admission;
import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;

/**
 * What leaves for one client, and when so much of it waits that the client is too slow. The base of
 * its session and not a part of it, so that no message goes through one object more. Bound to the
 * event loop of its connection.
 */
abstract class Recipient implements Subscriber {
  final Connection connection;
  final HubShard shard;
  final SessionPolicy policy;
  private final Encoding encoding;
  private boolean touched;
  private int slot;

  Recipient(Connection connection, HubShard shard, SessionPolicy policy, Encoding encoding) {
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
  public int slot() {
    return slot;
  }

  @Override
  public void slot(int value) {
    slot = value;
  }

  /** Whether nothing more is sent. */
  abstract boolean isClosing();

  /** Ends the session; nothing more is sent. */
  abstract void close(CloseCode code);

  @Override
  public void onFrames(ByteBuf frames) {
    if (hasRoomFor(frames)) {
      touch();
      connection.write(frames);
    }
  }

  @Override
  public void onBatchEnd() {
    touched = false;
    connection.flushInBatch();
  }

  @Override
  public void onSubscribed(Subscription subscription, Admission admission) {
    send(
        policy.frames.subscribed(
            subscription.ref(), subscription.topic(), admission, encoding.isBinary()));
  }

  // Half of what makes it slow is left to the live stream of its other subscriptions.
  @Override
  public long room() {
    long pending = connection.pendingBytes();
    return pending == 0 ? policy.maxPendingBytes : policy.maxPendingBytes / 2 - pending;
  }

  @Override
  public boolean isIdle() {
    if (touched) {
      connection.flush(); // what only this batch has queued says nothing about the client
    }
    return connection.pendingBytes() == 0;
  }

  @Override
  public void onGap(String topic, GapReason reason, long offset) {
    send(policy.frames.gap(topic, reason, offset, policy.hub.clock().wallMs()));
  }

  @Override
  public void onBroker(boolean live) {
    send(live ? policy.frames.live() : policy.frames.stale());
  }

  ByteBuf refusal(long ref, ErrorCode code, String message, String topic) {
    policy.metrics.clientError(code.code());
    return policy.frames.error(ref, code, message, topic);
  }

  /** Takes the frame. */
  void send(ByteBuf frame) {
    if (hasRoomFor(frame)) {
      touch();
      shard.releaseAfterBatch(frame);
      connection.write(frame);
    } else {
      frame.release();
    }
  }

  private boolean hasRoomFor(ByteBuf frame) {
    if (isClosing()) {
      return false;
    }
    if (fits(frame)) {
      return true;
    }
    connection.flush(); // what this batch alone has queued says nothing about the client
    if (fits(frame)) {
      return true;
    }
    policy.metrics.dropped("slow-consumer", 1);
    close(CloseCode.SLOW_CONSUMER);
    return false;
  }

  // A client for which nothing waits is not slow, however large the frame is.
  private boolean fits(ByteBuf frame) {
    long pending = connection.pendingBytes();
    return pending == 0 || pending + frame.readableBytes() <= policy.maxPendingBytes;
  }

  private void touch() {
    if (!touched) {
      shard.touched(this);
      touched = true;
    }
  }
}
