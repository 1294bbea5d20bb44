package io.sluice.gateway.multicast;

import java.security.SecureRandom;
import javax.crypto.spec.SecretKeySpec;

/** Key of a group. Immutable, for any thread. */
record GroupKey(int number, SecretKeySpec secret) {
  private static final int BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  static GroupKey of(int number, byte[] secret) {
    return new GroupKey(number, new SecretKeySpec(secret, "AES"));
  }

  static GroupKey next(int number) {
    byte[] secret = new byte[BYTES];
    RANDOM.nextBytes(secret);
    return of(number, secret);
  }
}
