package io.sluice.gateway.mqtt;

import io.netty.buffer.ByteBuf;

/** Message with QoS 1 in transit to a client. Bound to the client's event loop. */
final class OutboundMessage {
  private final SubscribedPart part;
  private final long offset;
  private final long identity;
  private int packetId;
  private boolean redelivered;
  private boolean sent;
  private boolean acknowledged;

  /** The packet while it waits; otherwise null. */
  private ByteBuf waiting;

  private long waitingSinceMs;

  private final boolean retained;

  OutboundMessage(SubscribedPart part, PublishRecord record, boolean retained) {
    this.part = part;
    this.offset = record.offset();
    this.identity = record.identity();
    this.retained = retained;
  }

  SubscribedPart part() {
    return part;
  }

  long offset() {
    return offset;
  }

  long identity() {
    return identity;
  }

  int packetId() {
    return packetId;
  }

  boolean isSent() {
    return sent;
  }

  boolean isAcknowledged() {
    return acknowledged;
  }

  /** Returns the flags of the packet's first byte. */
  int flags() {
    return PacketKind.QOS_1
        | (retained ? PacketKind.RETAIN : 0)
        | (redelivered ? PacketKind.DUP : 0);
  }

  /** Sets the packet identifier of an earlier connection. */
  void redelivers(int id) {
    packetId = id;
    redelivered = true;
  }

  /** Marks the message as sent before, perhaps by another node. */
  void redelivers() {
    redelivered = true;
  }

  void assign(int id) {
    packetId = id;
  }

  void sent() {
    sent = true;
  }

  void acknowledged() {
    acknowledged = true;
  }

  /** Keeps a packet and owns it. */
  void await(ByteBuf packet) {
    waiting = packet;
    waitingSinceMs = System.currentTimeMillis();
  }

  /** Returns the time since {@link #await}. */
  long waitedMs() {
    return Math.max(0, System.currentTimeMillis() - waitingSinceMs);
  }

  /** Returns the packet that waits, which the caller then owns. */
  ByteBuf take() {
    ByteBuf packet = waiting;
    waiting = null;
    return packet;
  }

  void release() {
    if (waiting != null) {
      waiting.release();
      waiting = null;
    }
  }
}
