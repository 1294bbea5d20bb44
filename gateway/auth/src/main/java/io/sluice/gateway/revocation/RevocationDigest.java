package io.sluice.gateway.revocation;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Hash of a set of revocations, in {@link #BUCKETS} parts. Two nodes find their differences by it.
 * Not thread-safe.
 */
final class RevocationDigest {
  /** Number of parts; a revocation belongs to one of them. */
  static final int BUCKETS = 256;

  private final long[] hashes = new long[BUCKETS];
  private final MessageDigest sha = sha256();

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Returns the part that a revocation belongs to, on all nodes. */
  static int bucket(Revocation revocation) {
    int hash = 31 * revocation.value().hashCode() + revocation.kind().ordinal();
    return (hash ^ hash >>> 8 ^ hash >>> 16 ^ hash >>> 24) & BUCKETS - 1;
  }

  /** Adds a revocation, or removes it if it was added before. */
  void toggle(Revocation revocation) {
    hashes[bucket(revocation)] ^= hash(revocation);
  }

  private long hash(Revocation revocation) {
    ByteBuffer times = ByteBuffer.allocate(1 + 3 * Long.BYTES);
    times.put((byte) revocation.kind().ordinal());
    times.putLong(revocation.sinceMs()).putLong(revocation.untilMs());
    times.putLong(revocation.removedMs());
    sha.update(times.array());
    return ByteBuffer.wrap(sha.digest(revocation.value().getBytes(StandardCharsets.UTF_8)))
        .getLong();
  }

  /** Returns a copy of the hashes of all parts. */
  long[] hashes() {
    return hashes.clone();
  }

  /** Returns the hash of the whole set; 0 for the empty one. */
  long total() {
    long total = 0;
    for (long hash : hashes) {
      total ^= hash;
    }
    return total;
  }
}
