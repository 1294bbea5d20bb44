package io.sluice.gateway.mqtt;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.protocol.ClientFrame;

/** Session of a client, as the parts of its translator use it. Bound to the client's event loop. */
interface SessionPort {
  /** Passes a frame of the client to the session. Not to be called while the session sends. */
  void give(ClientFrame frame);

  /** Runs a task on the event loop, when the session does not send. */
  void later(Runnable task);

  /** Sends a packet and takes ownership of it. */
  void send(ByteBuf packet);

  /** Returns a new window of messages with QoS 1. */
  OutboundWindow newWindow();

  /** Ends the connection, of MQTT 5 with DISCONNECT. */
  void end(MqttReason reason, String why);
}
