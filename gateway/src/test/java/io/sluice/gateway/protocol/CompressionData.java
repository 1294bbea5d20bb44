package io.sluice.gateway.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;

/** Data sets for measurements of compression, with a fixed seed. Bound to one thread. */
enum CompressionData {
  /** Best bid and ask of one instrument; 100 B. */
  QUOTES {
    @Override
    String text(Random random, long number) {
      bid += random.nextInt(5) - 2;
      return String.format(
          Locale.ROOT,
          "{\"symbol\":\"ACME.N\",\"bid\":%.2f,\"ask\":%.2f,\"bidSize\":%d,\"askSize\":%d,\"seq\":%d}",
          bid / 100.0,
          (bid + 1 + random.nextInt(3)) / 100.0,
          100 * (1 + random.nextInt(20)),
          100 * (1 + random.nextInt(20)),
          number);
    }
  },

  /** Ten levels of each side, of which few change; 450 B. */
  ORDER_BOOK {
    private final int[] sizes = new int[20];

    @Override
    String text(Random random, long number) {
      if (number == 1) {
        for (int i = 0; i < sizes.length; i++) {
          sizes[i] = 100 * (1 + random.nextInt(90));
        }
      }
      bid += random.nextInt(20) == 0 ? random.nextInt(3) - 1 : 0;
      for (int i = 1 + random.nextInt(2); i > 0; i--) {
        sizes[random.nextInt(sizes.length)] = 100 * (1 + random.nextInt(90));
      }
      return "{\"symbol\":\"ACME.N\",\"bids\":" + side(0, -1) + ",\"asks\":" + side(10, 1) + "}";
    }

    private String side(int from, int step) {
      StringBuilder levels = new StringBuilder("[");
      for (int i = 0; i < 10; i++) {
        levels
            .append(i == 0 ? "[" : ",[")
            .append(String.format(Locale.ROOT, "%.2f", (bid + step * (i + 1)) / 100.0))
            .append(',')
            .append(sizes[from + i])
            .append(']');
      }
      return levels.append(']').toString();
    }
  },

  /** Readings of one of 50 devices of a pattern; 260 B. */
  TELEMETRY {
    @Override
    String text(Random random, long number) {
      int device = random.nextInt(50);
      return String.format(
          Locale.ROOT,
          "{\"device\":\"pump-%03d\",\"site\":\"plant-%d\",\"firmware\":\"4.2.%d\",\"temperature\":%.1f,"
              + "\"pressure\":%.3f,\"vibration\":[%.4f,%.4f,%.4f],\"rpm\":%d,\"status\":\"%s\",\"uptime\":%d}",
          device,
          device / 10,
          device % 4,
          60 + random.nextGaussian() * 4,
          2.4 + random.nextGaussian() / 20,
          random.nextDouble() / 10,
          random.nextDouble() / 10,
          random.nextDouble() / 10,
          1450 + random.nextInt(60),
          random.nextInt(50) == 0 ? "WARNING" : "OK",
          100_000 + number);
    }
  };

  int bid = 10_000;

  /** Returns the text of the next message. */
  abstract String text(Random random, long number);

  /** Returns messages like those of a broker: random identities, one per 10 ms. */
  Message[] messages(int count) {
    Random random = new Random(26);
    Message[] messages = new Message[count];
    for (int i = 0; i < count; i++) {
      byte[] payload = text(random, i + 1L).getBytes(StandardCharsets.UTF_8);
      long timeMs = 1_763_700_000_000L + i * 10L;
      messages[i] =
          new Message("stocks.7", random.nextLong(), timeMs, PayloadKind.TEXT, payload, null);
    }
    return messages;
  }
}
