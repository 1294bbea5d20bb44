package io.sluice.gateway.session;

import io.sluice.gateway.protocol.ClientFrame;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Frames of a client that wait until its credential is checked; bounded per client and per node.
 * Bound to the client's event loop.
 */
final class PreAuthBuffer {
  /** What a frame takes in memory, whatever it took on the wire. */
  private static final int FRAME_BYTES = 256;

  private final Queue<ClientFrame> frames = new ArrayDeque<>();
  private final AtomicLong nodeBytes;
  private final long most;
  private final long mostOfNode;
  private long bytes;
  private int malformed;

  /**
   * @param nodeBytes what waits of all clients of the node
   * @param most bytes of one client
   * @param mostOfNode bytes of all of them
   */
  PreAuthBuffer(AtomicLong nodeBytes, long most, long mostOfNode) {
    this.nodeBytes = nodeBytes;
    this.most = most;
    this.mostOfNode = mostOfNode;
  }

  /** Whether so many bytes more are more than one client may have waiting. */
  boolean isTooMuch(long more) {
    return bytes + more + FRAME_BYTES > most;
  }

  /** Whether this frame is one too many of those that could not be understood. */
  boolean isTooWrong(ClientFrame frame, int most) {
    return frame instanceof ClientFrame.Malformed && ++malformed >= most;
  }

  /**
   * Keeps a frame.
   *
   * @param size bytes that it took on the wire
   * @return false if the node has no room for it
   */
  boolean add(ClientFrame frame, long size) {
    long cost = size + FRAME_BYTES;
    if (nodeBytes.addAndGet(cost) > mostOfNode) {
      nodeBytes.addAndGet(-cost);
      return false;
    }
    bytes += cost;
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
