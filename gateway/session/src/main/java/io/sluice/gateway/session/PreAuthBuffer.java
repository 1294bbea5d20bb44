package io.sluice.gateway.session;

import io.sluice.gateway.limits.Shares;
import io.sluice.gateway.protocol.ClientFrame;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Buffer of a client's frames until its credential is checked; limited per client, address and
 * node. Bound to the client's event loop.
 */
final class PreAuthBuffer {
  /** Memory overhead of a frame, in addition to its size on the wire. */
  private static final int FRAME_BYTES = 256;

  private final Queue<ClientFrame> frames = new ArrayDeque<>();
  private final Shares nodeBytes;
  private final String address;
  private final long maxBytes;
  private long bytes;
  private int malformed;

  /**
   * @param nodeBytes buffered bytes of all clients of the node, with shares of addresses
   * @param address name under which the client's address is counted
   * @param maxBytes limit of one client
   */
  PreAuthBuffer(Shares nodeBytes, String address, long maxBytes) {
    this.nodeBytes = nodeBytes;
    this.address = address;
    this.maxBytes = maxBytes;
  }

  /** Returns whether another frame of this size exceeds the client's limit. */
  boolean exceedsLimit(long size) {
    return bytes + size + FRAME_BYTES > maxBytes;
  }

  /** Counts a malformed frame; returns whether their number has reached the limit. */
  boolean reachesErrorLimit(ClientFrame frame, int maxErrors) {
    return frame instanceof ClientFrame.Malformed bad
        && bad.code().isMalformed()
        && ++malformed >= maxErrors;
  }

  /**
   * Adds a frame.
   *
   * @param size bytes of the frame on the wire
   * @return false if the node's limit, or the share of the address, is reached
   */
  boolean add(ClientFrame frame, long size) {
    long cost = size + FRAME_BYTES;
    if (!nodeBytes.take(address, cost)) {
      return false;
    }
    bytes += cost;
    frames.add(frame);
    return true;
  }

  /** Returns and removes the oldest frame, or null. */
  ClientFrame next() {
    return frames.poll();
  }

  /** Discards the frames and releases their share of the node's limit. */
  void close() {
    nodeBytes.release(address, bytes);
    bytes = 0;
    frames.clear();
  }
}
