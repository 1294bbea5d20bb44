package io.sluice.gateway.http;

/**
 * Memory quota of the request bodies that one event loop buffers. Bound to that loop.
 *
 * <p>Counts bytes in use, not a rate, so it is not a token bucket.
 */
final class BufferQuota {
  private final long maxBytes;
  private long usedBytes;

  BufferQuota(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Reserves bytes, all or none. Returns false if fewer are free. */
  boolean reserve(long bytes) {
    if (usedBytes + bytes > maxBytes) {
      return false;
    }
    usedBytes += bytes;
    return true;
  }

  /** Releases bytes that were reserved. */
  void release(long bytes) {
    usedBytes -= bytes;
  }
}
