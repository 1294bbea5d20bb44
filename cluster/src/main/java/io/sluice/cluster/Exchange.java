package io.sluice.cluster;

import java.io.IOException;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Exchange of messages between the same modules of all nodes. Called on the cluster's thread,
 * except {@code join}; must not block. A node ignores messages of a channel that none of its
 * modules has.
 *
 * <p>Nodes of several versions coexist during a rolling upgrade. Messages that earlier versions
 * cannot ignore require another channel.
 *
 * @param channel first byte of all its messages
 * @param join receives the sender of messages to a node of the latest view, before the first view.
 *     Messages to one node arrive in order, but may be lost; they have at most {@link #MAX_BYTES}
 * @param onView receives the other nodes; an object identifies one process, and is compared by
 *     equality
 * @param onMessage receives a message and the node that sent it, which may not be in the view yet
 * @param onDiscarded notified that messages of other nodes were discarded, because too many waited
 */
public record Exchange(
    int channel,
    Consumer<BiConsumer<Object, byte[]>> join,
    Consumer<List<?>> onView,
    Receiver onMessage,
    Runnable onDiscarded) {
  /** Largest message. */
  public static final int MAX_BYTES = 16 * 1024;

  /** Receiver of messages. */
  @FunctionalInterface
  public interface Receiver {
    /**
     * Handles a message.
     *
     * @throws IOException if it is malformed; it is counted and logged then
     */
    void onMessage(Object from, byte[] message) throws IOException;
  }

  /** Creates an exchange that detects lost messages by itself. */
  public Exchange(
      int channel,
      Consumer<BiConsumer<Object, byte[]>> join,
      Consumer<List<?>> onView,
      Receiver onMessage) {
    this(channel, join, onView, onMessage, () -> {});
  }
}
