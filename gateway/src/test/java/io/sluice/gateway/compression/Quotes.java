package io.sluice.gateway.compression;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.zip.CRC32;

/** Payloads that a client recognizes by their number. Stateless, for any thread. */
final class Quotes {
  private static final String NUMBER = "SEQ=";

  private Quotes() {}

  /**
   * Returns a payload with the checksum of its text: mostly a small one, sometimes a large or an
   * incompressible one.
   */
  static String payload(long number) {
    Random random = new Random(number);
    StringBuilder text = new StringBuilder();
    int kind = random.nextInt(40);
    int levels = kind == 0 ? 800 : kind < 8 ? 20 : 1;
    for (int i = 0; i < levels; i++) {
      text.append("{\"symbol\":\"ACME\",\"bid\":").append(100 + random.nextInt(100));
      text.append(",\"ask\":").append(200 + random.nextInt(100)).append('}');
    }
    if (kind == 9) {
      random.ints(random.nextInt(3000), ' ', 0x2000).forEach(text::appendCodePoint);
    }
    CRC32 sum = new CRC32();
    sum.update(text.toString().getBytes(StandardCharsets.UTF_8));
    return NUMBER + number + " CRC=" + sum.getValue() + ' ' + text;
  }

  /** Returns the number of a payload after checking that it is unchanged. */
  static long checkedNumber(String payload) {
    int end = payload.indexOf(' ');
    if (!payload.startsWith(NUMBER) || end < 0) {
      throw new AssertionError("not a payload: " + payload);
    }
    long number = Long.parseLong(payload, NUMBER.length(), end, 10);
    if (!payload.equals(payload(number))) {
      throw new AssertionError("message " + number + " is changed: " + payload);
    }
    return number;
  }
}
