package io.sluice.gateway.broker.jms;

/**
 * 64-bit identity of a message: a hash of its JMSMessageID, equal on all nodes and after restarts.
 * The hash function must not change, because nodes of different versions share identities. Any
 * thread.
 */
final class MessageIdentity {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private MessageIdentity() {}

  /** Returns FNV-1a over the UTF-16 code units, mixed by MurmurHash3's finalizer. */
  static long of(String messageId) {
    long hash = FNV_OFFSET;
    for (int i = 0; i < messageId.length(); i++) {
      hash = (hash ^ messageId.charAt(i)) * FNV_PRIME;
    }
    return mixed(hash);
  }

  private static long mixed(long hash) {
    long h = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
    h = (h ^ h >>> 33) * 0xc4ceb9fe1a85ec53L;
    return h ^ h >>> 33;
  }
}
