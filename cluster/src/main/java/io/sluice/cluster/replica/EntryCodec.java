package io.sluice.cluster.replica;

/**
 * Encoding of the keys and values of a {@link ReplicatedMap}. Decoders throw {@link
 * IllegalArgumentException} for bytes that they do not accept.
 */
public interface EntryCodec<K, V> {
  byte[] encodeKey(K key);

  K decodeKey(byte[] bytes);

  byte[] encodeValue(V value);

  V decodeValue(byte[] bytes);
}
