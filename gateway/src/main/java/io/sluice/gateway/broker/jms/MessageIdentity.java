package io.sluice.gateway.broker.jms;

/**
 * The 64-bit identity of a message: a hash of its JMSMessageID, so the same at every node and after
 * every restart. The function is part of what nodes of different versions share and must not
 * change.
 */
final class MessageIdentity {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private MessageIdentity() {}

  /** FNV-1a over the UTF-16 code units, then MurmurHash3's finalizer to spread all bits. */
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
