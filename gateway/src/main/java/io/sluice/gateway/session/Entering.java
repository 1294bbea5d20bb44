package io.sluice.gateway.session;

import io.sluice.gateway.protocol.ClientFrame;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a client says while the node finds out who it is; bounded for each client and for the node.
 * Bound to the client's event loop.
 */
final class Entering {
  private final Queue<ClientFrame> frames = new ArrayDeque<>();
  private final AtomicLong nodeBytes;
  private final long most;
  private final long mostOfNode;
  private long bytes;

  /**
   * @param nodeBytes what waits of all clients of the node
   * @param most bytes of one client
   * @param mostOfNode bytes of all of them
   */
  Entering(AtomicLong nodeBytes, long most, long mostOfNode) {
    this.nodeBytes = nodeBytes;
    this.most = most;
    this.mostOfNode = mostOfNode;
  }

  /** Whether so many bytes more are more than one client may have waiting. */
  boolean isTooMuch(long more) {
    return bytes + more > most;
  }

  /**
   * Keeps a frame.
   *
   * @param size bytes that it took on the wire
   * @return false if the node has no room for it
   */
  boolean add(ClientFrame frame, long size) {
    if (nodeBytes.addAndGet(size) > mostOfNode) {
      nodeBytes.addAndGet(-size);
      return false;
    }
    bytes += size;
    frames.add(frame);
    return true;
  }

  /** The next frame in the order in which they came, or null. */
  ClientFrame next() {
    return frames.poll();
  }

  /** Gives the room back. */
  void close() {
    nodeBytes.addAndGet(-bytes);
    bytes = 0;
    frames.clear();
  }
}
