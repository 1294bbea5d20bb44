package io.sluice.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 digest of an image's blob. Immutable, for any thread. */
record Digest(String hex) {
  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  static Digest of(byte[] content) {
    return new Digest(HexFormat.of().formatHex(sha256().digest(content)));
  }

  static Digest of(Path file) throws IOException {
    MessageDigest digest = sha256();
    try (var content = Files.newInputStream(file)) {
      byte[] buffer = new byte[1 << 16];
      for (int length = content.read(buffer); length >= 0; length = content.read(buffer)) {
        digest.update(buffer, 0, length);
      }
    }
    return of(digest);
  }

  static Digest of(MessageDigest digest) {
    return new Digest(HexFormat.of().formatHex(digest.digest()));
  }

  /** Returns the digest with the algorithm's name as prefix. */
  @Override
  public String toString() {
    return "sha256:" + hex;
  }
}
