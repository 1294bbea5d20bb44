package io.sluice.gateway.session;

import io.sluice.gateway.limits.TokenBucket;

/**
 * Rate limit of a session's refusals, and the number of its malformed frames. Created with the
 * first of both. Bound to the client's event loop.
 */
final class Refusals {
  /** Burst of refusals behind the first second, in seconds at their rate. */
  private static final int BURST_SECONDS = 9;

  /** Null until the number of refusals exceeds their rate. */
  private TokenBucket bucket;

  private int refusals;
  private int malformed;

  /** Counts a refusal; returns false past this rate a second. */
  // Most clients have fewer refusals than a second's rate and need no bucket.
  boolean take(int rate) {
    if (++refusals <= rate) {
      return true;
    }
    refusals = rate;
    long nowNs = System.nanoTime();
    if (bucket == null) {
      bucket = new TokenBucket(rate, BURST_SECONDS * (long) rate, nowNs);
    }
    return bucket.take(nowNs);
  }

  /** Counts a malformed frame; returns the number of all of them. */
  int countMalformed() {
    return ++malformed;
  }
}
