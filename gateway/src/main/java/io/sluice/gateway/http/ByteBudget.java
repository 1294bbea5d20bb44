package io.sluice.gateway.http;

/** So many bytes, which those who hold some of them share. Bound to one event loop. */
final class ByteBudget {
  private final long limit;
  private long taken;

  ByteBudget(long limit) {
    this.limit = limit;
  }

  /** Takes some, or none and returns false if there are not as many left. */
  boolean take(long bytes) {
    if (taken + bytes > limit) {
      return false;
    }
    taken += bytes;
    return true;
  }

  void giveBack(long bytes) {
    taken -= bytes;
  }
}
