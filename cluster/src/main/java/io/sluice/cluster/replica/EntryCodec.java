package io.sluice.cluster.replica;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Encoding of the keys and values of a {@link ReplicatedMap}. A stream that is read ends with the
 * key or value. Readers throw {@link IOException} for bytes that they do not accept.
 */
public interface EntryCodec<K, V> {
  void writeKey(K key, DataOutputStream out) throws IOException;

  K readKey(DataInputStream in) throws IOException;

  void writeValue(V value, DataOutputStream out) throws IOException;

  V readValue(DataInputStream in) throws IOException;
}
