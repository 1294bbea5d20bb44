package io.sluice.gateway.multicast;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.function.IntFunction;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;

/**
 * Encryption of the group's frames by AES-GCM: number of the key, sequence, ciphertext. The nonce
 * is the sequence, which no two frames of a root share. Used by one thread.
 */
final class FrameCipher {
  /** Bytes of a frame besides its contents. */
  static final int OVERHEAD = Integer.BYTES + Long.BYTES + 16;

  private static final int HEADER = Integer.BYTES + Long.BYTES;
  private static final int NONCE = 12;
  private static final int TAG_BITS = 128;

  private final Cipher cipher;
  private final ByteBuffer nonce = ByteBuffer.allocate(NONCE);
  private final ByteBuffer header = ByteBuffer.allocate(HEADER);

  FrameCipher() {
    try {
      cipher = Cipher.getInstance("AES/GCM/NoPadding");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the frame of contents. */
  byte[] seal(GroupKey key, long sequence, byte[] contents) {
    byte[] frame = new byte[contents.length + OVERHEAD];
    header.clear().putInt(key.number()).putLong(sequence);
    System.arraycopy(header.array(), 0, frame, 0, HEADER);
    try {
      init(Cipher.ENCRYPT_MODE, key, sequence);
      cipher.doFinal(contents, 0, contents.length, frame, HEADER);
      return frame;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private void init(int mode, GroupKey key, long sequence) throws GeneralSecurityException {
    nonce.clear().putInt(0).putLong(sequence);
    cipher.init(mode, key.secret(), new GCMParameterSpec(TAG_BITS, nonce.array()));
    cipher.updateAAD(header.array());
  }

  /**
   * Returns the contents of a frame; null if it is not of the root.
   *
   * @param keys finds a key by its number; null without it
   */
  byte[] open(byte[] frame, IntFunction<GroupKey> keys) {
    if (frame.length < OVERHEAD) {
      return null;
    }
    header.clear().put(frame, 0, HEADER).flip();
    GroupKey key = keys.apply(header.getInt());
    if (key == null) {
      return null;
    }
    try {
      init(Cipher.DECRYPT_MODE, key, header.getLong());
      return cipher.doFinal(frame, HEADER, frame.length - HEADER);
    } catch (GeneralSecurityException e) {
      return null; // forged, damaged, or of another root
    }
  }
}
