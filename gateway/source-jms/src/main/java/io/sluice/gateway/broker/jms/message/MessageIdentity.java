package io.sluice.gateway.broker.jms.message;

/**
 * Identity of a message: a hash of its topic and id of 63 bits, equal on all nodes and after
 * restarts. The topic distinguishes the copies of a message that the broker has forwarded under one
 * id. The hash function must not change, because nodes of different versions share identities. Any
 * thread.
 */
public final class MessageIdentity {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private MessageIdentity() {}

  /** Returns the identity of a message, at least 0. */
  public static long of(String topic, String messageId) {
    return mixed(hash(messageId, hash(topic, FNV_OFFSET) * FNV_PRIME)) & Long.MAX_VALUE;
  }

  /** Returns the hash of a name. */
  public static long of(String name) {
    return mixed(hash(name, FNV_OFFSET));
  }

  // FNV-1a over the UTF-16 code units.
  private static long hash(String text, long start) {
    long hash = start;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * FNV_PRIME;
    }
    return hash;
  }

  // The finalizer of MurmurHash3.
  private static long mixed(long hash) {
    long h = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
    h = (h ^ h >>> 33) * 0xc4ceb9fe1a85ec53L;
    return h ^ h >>> 33;
  }
}
