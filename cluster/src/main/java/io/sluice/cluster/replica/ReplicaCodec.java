package io.sluice.cluster.replica;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Binary codec of {@link ReplicaMessage}s: channel, kind, fixed fields, then entries up to the end.
 * A key omits the bytes that it shares with the previous key. Stateless.
 *
 * <p>Nodes of several versions coexist during a rolling upgrade. A reader ignores unknown kinds. An
 * incompatible encoding requires another channel.
 */
final class ReplicaCodec<K extends Comparable<K>, V> {
  /** Bytes after which another entry begins a new message. */
  static final int MAX_PART_BYTES = 8 * 1024;

  /** Largest key with its value; a message then fits into those of the cluster. */
  static final int MAX_ENTRY_BYTES = 14 * 1024;

  private static final int MAX_SHARED = 255;
  private static final int REMOVED = 0xffff;
  private static final int HEADER = 2 + 2 * Long.BYTES + Integer.BYTES;
  private static final int ENTRY_HEADER = 1 + 2 * Short.BYTES;
  private static final ReplicaMessage.Kind[] KINDS = ReplicaMessage.Kind.values();

  private final int channel;
  private final EntryCodec<K, V> entries;

  /**
   * @param channel first byte of all messages
   */
  ReplicaCodec(int channel, EntryCodec<K, V> entries) {
    this.channel = channel;
    this.entries = entries;
  }

  /**
   * Returns whether an entry can be sent. A key that is not encoded without loss could have another
   * order at the receiver.
   */
  boolean isEncodable(K key, V value) {
    byte[] bytes = bytes(key, entries::writeKey);
    try {
      return bytes.length + bytes(value, entries::writeValue).length <= MAX_ENTRY_BYTES
          && entries.readKey(stream(bytes)).equals(key);
    } catch (IOException e) {
      return false;
    }
  }

  /** Writer of a key or value. */
  private interface Writer<T> {
    void write(T value, DataOutputStream out) throws IOException;
  }

  private static <T> byte[] bytes(T value, Writer<T> writer) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      writer.write(value, new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException("a buffer in memory cannot be written", e);
    }
    return bytes.toByteArray();
  }

  private static DataInputStream stream(byte[] bytes) {
    return new DataInputStream(new ByteArrayInputStream(bytes));
  }

  /** Writer of the entries of one message. */
  final class Part {
    private final ByteBuffer out;
    private byte[] previous = {};

    Part() {
      this(ENTRY_HEADER + MAX_ENTRY_BYTES);
    }

    private Part(int bytes) {
      out = ByteBuffer.allocate(HEADER + bytes).position(HEADER);
    }

    /**
     * Adds an entry.
     *
     * @param value null for a removed key
     * @return false if the part is full
     */
    boolean add(K key, V value) {
      byte[] keyBytes = bytes(key, entries::writeKey);
      byte[] valueBytes = value == null ? new byte[0] : bytes(value, entries::writeValue);
      int mismatch = Arrays.mismatch(previous, keyBytes);
      int shared = Math.min(mismatch < 0 ? keyBytes.length : mismatch, MAX_SHARED);
      int own = keyBytes.length - shared;
      int size = out.position() - HEADER + ENTRY_HEADER + own + valueBytes.length;
      if (out.position() > HEADER && size > MAX_PART_BYTES) {
        return false;
      }
      out.put((byte) shared).putShort((short) own);
      out.putShort((short) (value == null ? REMOVED : valueBytes.length));
      out.put(keyBytes, shared, own).put(valueBytes);
      previous = keyBytes;
      return true;
    }

    /** Returns the message; see {@link ReplicaMessage}. */
    byte[] message(ReplicaMessage.Kind kind, long revision, long sync, int index) {
      out.put(0, (byte) channel).put(1, (byte) kind.ordinal());
      out.putLong(2, revision).putLong(2 + Long.BYTES, sync).putInt(2 + 2 * Long.BYTES, index);
      return Arrays.copyOf(out.array(), out.position());
    }
  }

  /** Returns a message without entries. */
  byte[] message(ReplicaMessage.Kind kind, long revision, long sync) {
    return new Part(0).message(kind, revision, sync, 0);
  }

  /** Decodes a message; returns null for another channel or an unknown kind. */
  ReplicaMessage<K, V> decode(byte[] bytes) throws IOException {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      if (in.get() != channel) {
        return null;
      }
      int kind = Byte.toUnsignedInt(in.get());
      return kind >= KINDS.length
          ? null
          : new ReplicaMessage<>(
              KINDS[kind], in.getLong(), in.getLong(), in.getInt(), readEntries(in));
    } catch (IOException | BufferUnderflowException | IllegalArgumentException e) {
      throw new IOException(bytes.length + " bytes of replicated entries: " + e, e);
    }
  }

  private NavigableMap<K, V> readEntries(ByteBuffer in) throws IOException {
    NavigableMap<K, V> read = new TreeMap<>();
    byte[] key = {};
    while (in.hasRemaining()) {
      int shared = Byte.toUnsignedInt(in.get());
      int keyLength = Short.toUnsignedInt(in.getShort());
      int valueLength = Short.toUnsignedInt(in.getShort());
      if (shared > key.length || keyLength > in.remaining()) {
        throw new IOException("key of " + shared + " and " + keyLength + " bytes");
      }
      key = Arrays.copyOf(key, shared + keyLength);
      in.get(key, shared, keyLength);
      read.put(entries.readKey(stream(key)), readValue(in, valueLength));
    }
    return read;
  }

  private V readValue(ByteBuffer in, int length) throws IOException {
    if (length == REMOVED) {
      return null;
    }
    if (length > in.remaining()) {
      throw new IOException("value of " + length + " bytes");
    }
    byte[] value = new byte[length];
    in.get(value);
    return entries.readValue(stream(value));
  }
}
