package io.sluice.gateway.revocation;

/** Other node, with the last known hash of its revocations. Bound to the thread of the exchange. */
final class RevocationPeer {
  /** A complete copy with the same differences is not requested again for this time. */
  private static final long REPEAT_MS = 600_000;

  private boolean known;
  private long total;
  private long changedMs;

  /** Hashes of both sets after the latest complete copy. */
  private long copiedTotal;

  private long copiedOwn;
  private long copiedMs = -REPEAT_MS;

  /** Handles the hash of the node's set. */
  void onDigest(long newTotal, long nowMs) {
    if (!known || newTotal != total) {
      changedMs = nowMs;
    }
    known = true;
    total = newTotal;
  }

  /** Handles the end of a copy of the node's revocations. */
  void onCopied(long own, long nowMs) {
    copiedTotal = total;
    copiedOwn = own;
    copiedMs = nowMs;
  }

  /** Returns whether both sets are equal, as far as is known. */
  boolean isEqualTo(long own) {
    return known && total == own;
  }

  /**
   * Returns whether the node has revocations to copy: its set differs, and is no longer changing.
   */
  boolean isToCopy(long own, long settleMs, long nowMs) {
    boolean differs = known && total != own && total != 0;
    boolean copied = copiedTotal == total && copiedOwn == own && nowMs - copiedMs < REPEAT_MS;
    return differs && !copied && nowMs - changedMs >= settleMs;
  }
}
