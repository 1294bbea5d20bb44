package io.sluice.gateway.protocol.dictionary;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Trained dictionary: content that a client has before the first message, to which a compressed
 * frame refers (docs/PROTOCOL.md, section 5). Immutable, for any thread.
 */
public final class Dictionary {
  /** Maximum bytes of the content: the window of a decompressor (RFC 1951). */
  public static final int MAX_BYTES = 32 * 1024;

  /** Digits of a hash: the first half of SHA-256 in hexadecimal. */
  private static final int HASH_DIGITS = 32;

  private static final Pattern HASH = Pattern.compile("[0-9a-f]{" + HASH_DIGITS + "}");

  private final int index;
  private final String hash;
  private final byte[] bytes;
  private final ByteBuf content;

  /**
   * Creates a dictionary.
   *
   * @param index number among the dictionaries of the node
   * @param bytes the content, which the caller does not change
   */
  public Dictionary(int index, byte[] bytes) {
    this.index = index;
    this.hash = hash(bytes);
    this.bytes = bytes;
    this.content = Unpooled.wrappedBuffer(bytes);
  }

  /** Returns the identity of a content. */
  public static String hash(byte[] content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
      return HexFormat.of().formatHex(digest).substring(0, HASH_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  /** Returns whether a text has the form of a hash. */
  public static boolean isHash(String text) {
    return HASH.matcher(text).matches();
  }

  /** Returns the number among the dictionaries of the node, from 0. */
  public int index() {
    return index;
  }

  /** Returns the identity, which clients name. */
  public String hash() {
    return hash;
  }

  /** Returns the content; callers must not change it. */
  public byte[] bytes() {
    return bytes;
  }

  /** Returns the content as a buffer without owner; callers change neither bytes nor indices. */
  public ByteBuf content() {
    return content;
  }
}
