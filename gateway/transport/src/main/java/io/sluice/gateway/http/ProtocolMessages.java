package io.sluice.gateway.http;

import java.util.List;
import java.util.function.BiConsumer;

/** Messages between an open protocol of all nodes of the cluster. For any thread. */
public interface ProtocolMessages {
  /** Returns the first byte of all its messages. */
  int channel();

  /** Receives the sender of messages to a node of the latest view, before the first view. */
  void join(BiConsumer<Object, byte[]> sender);

  /** Receives the other nodes, which are compared by equality. */
  void onView(List<?> others);

  /** Handles a message of another node. */
  void onMessage(Object from, byte[] message);
}
