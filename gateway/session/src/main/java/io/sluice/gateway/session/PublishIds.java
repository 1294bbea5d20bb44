package io.sluice.gateway.session;

import io.sluice.gateway.protocol.Destination;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Ids of idempotent publishes, unique in the broker. Stateless, for any thread. */
final class PublishIds {
  private PublishIds() {}

  /** Returns an id that only the same principal, destination and client's id produce. */
  static String hash(String principal, Destination destination, String id) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String part :
          new String[] {principal, destination.kind().name(), destination.name(), id}) {
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
        digest.update(bytes);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has SHA-256
    }
  }
}
