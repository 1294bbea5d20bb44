package io.sluice.gateway.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.collection.IntCollections;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.Settlement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Messages with QoS 1 that a client has not acknowledged, and those that wait until it has. Bound
 * to the client's event loop.
 */
final class OutboundWindow {
  private static final int MAX_PACKET_ID = 0xFFFF;

  private final SessionPort port;
  private final PacketWriter writer;
  private final int receiveMaximum;
  private final long maximumPacketSize;

  /** Empty until the first message, like the other map: most clients have none. */
  private IntObjectMap<OutboundMessage> inFlight = IntCollections.emptyMap();

  private final Queue<OutboundMessage> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private int lastId;

  /** Packet identifiers of an earlier connection whose messages have not arrived again. */
  private IntObjectMap<SubscribedPart> reserved = IntCollections.emptyMap();

  /** Packets with QoS 0 until the connection is answered, if there are any. */
  private List<ByteBuf> early = List.of();

  /** True until the connection is answered. */
  private boolean held;

  /**
   * @param receiveMaximum that of the client
   * @param maximumPacketSize that of the client
   * @param lastId packet identifier that an earlier connection used last, or 0
   * @param held whether messages wait until {@link #open}
   */
  OutboundWindow(
      SessionPort port,
      PacketWriter writer,
      int receiveMaximum,
      long maximumPacketSize,
      int lastId,
      boolean held) {
    this.port = port;
    this.writer = writer;
    this.receiveMaximum = Math.min(receiveMaximum, MqttOptions.MAX_IN_FLIGHT);
    this.maximumPacketSize = maximumPacketSize;
    this.lastId = lastId;
    this.held = held;
  }

  /** Returns the bytes of messages that wait. */
  long waitingBytes() {
    return waitingBytes;
  }

  int lastId() {
    return lastId;
  }

  /** Begins to send. */
  void open() {
    held = false;
    early.forEach(
        each -> {
          waitingBytes -= each.readableBytes();
          port.send(each);
        });
    early = List.of();
    sendWaiting();
  }

  /** Reserves the packet identifier of a message that is to be sent again. */
  void reserve(int id, SubscribedPart part) {
    if (reserved == IntCollections.<SubscribedPart>emptyMap()) {
      reserved = new IntObjectHashMap<>(2);
    }
    reserved.put(id, part);
  }

  /** Frees the packet identifiers of a part whose replay is over. */
  void unreserve(SubscribedPart part) {
    reserved.values().removeIf(each -> each == part);
  }

  /** Sends a message when the client accepts it; the record is borrowed. */
  void offer(OutboundMessage message, PublishRecord record) {
    int bytes = record.packet().readableBytes() + Short.BYTES;
    int idBytes = PacketWriter.subscriptionBytes(message.part().subscriptionId);
    if (bytes == Short.BYTES
        || bytes + idBytes > maximumPacketSize) { // of a hidden topic, or too large
      complete(message); // as the standard requires, like one that is sent
    } else if (!held && inFlight.size() < receiveMaximum && waiting.isEmpty()) {
      transmit(message, record.packet());
    } else {
      message.await(Unpooled.copiedBuffer(record.packet()));
      waiting.add(message);
      waitingBytes += bytes;
    }
  }

  /** Sends a message with QoS 0, unless it is empty or larger than the client accepts. */
  void sendUnacknowledged(SubscribedPart part, ByteBuf packet, int flags) {
    int idBytes = PacketWriter.subscriptionBytes(part.subscriptionId);
    if (!packet.isReadable() || packet.readableBytes() + idBytes > maximumPacketSize) {
      return;
    }
    ByteBuf complete = writer.publish(packet, flags, 0, part.subscriptionId);
    if (!held) {
      port.send(complete);
      return;
    }
    early = early.isEmpty() ? new ArrayList<>() : early;
    early.add(complete);
    waitingBytes += complete.readableBytes();
  }

  private void transmit(OutboundMessage message, ByteBuf packet) {
    if (message.packetId() == 0) {
      message.assign(nextId());
    } else {
      reserved.remove(message.packetId());
    }
    if (inFlight == IntCollections.<OutboundMessage>emptyMap()) {
      inFlight = new IntObjectHashMap<>(2);
    }
    inFlight.put(message.packetId(), message);
    message.sent();
    int subscriptionId = message.part().subscriptionId;
    port.send(writer.publish(packet, message.flags(), message.packetId(), subscriptionId));
  }

  private int nextId() {
    do {
      lastId = lastId == MAX_PACKET_ID ? 1 : lastId + 1;
    } while (inFlight.containsKey(lastId) || reserved.containsKey(lastId));
    return lastId;
  }

  /** Processes a PUBACK; one without a message is ignored. */
  void onAcknowledged(int id) {
    OutboundMessage message = inFlight.remove(id);
    if (message != null) {
      complete(message);
      sendWaiting();
    }
  }

  private void complete(OutboundMessage message) {
    message.acknowledged();
    message.part().advance();
    if (message.part().isConsumer()) {
      settle(message.part(), message.offset());
    }
  }

  /** Acknowledges a message of a consumer to the broker. */
  void settle(SubscribedPart part, long tag) {
    port.later(
        () ->
            port.give(
                new ClientFrame.Settle(ClientFrame.NO_REF, part.ref, tag, false, Settlement.ACK)));
  }

  private void sendWaiting() {
    while (!waiting.isEmpty() && inFlight.size() < receiveMaximum) {
      OutboundMessage next = waiting.poll();
      ByteBuf packet = next.take();
      waitingBytes -= packet.readableBytes() + Short.BYTES;
      try {
        if (writer.expire(packet, next.waitedMs())) {
          transmit(next, packet);
        } else {
          complete(next); // as the standard requires, like one that is sent
        }
      } finally {
        packet.release();
      }
    }
  }

  /** Discards the messages of a part that wait. */
  void discard(SubscribedPart part) {
    unreserve(part);
    waiting.removeIf(
        each -> {
          if (each.part() != part) {
            return false;
          }
          ByteBuf packet = each.take();
          waitingBytes -= packet.readableBytes() + Short.BYTES;
          packet.release();
          return true;
        });
  }

  void release() {
    waiting.forEach(OutboundMessage::release);
    waiting.clear();
    early.forEach(ByteBuf::release);
    early = List.of();
    waitingBytes = 0;
  }
}
