package io.sluice.testkit;

import java.io.UncheckedIOException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Loopback addresses for servers. For any thread. Connections to them come from 127.0.0.1, so that
 * none occupies the port of a server that is restarted.
 */
public final class Loopback {
  private Loopback() {}

  /** Returns a random loopback address; 127.0.0.1 if the machine has no other. */
  public static String address() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    String address =
        "127.%d.%d.%d"
            .formatted(random.nextInt(1, 255), random.nextInt(1, 255), random.nextInt(1, 255));
    return isUsable(address) ? address : "127.0.0.1";
  }

  private static boolean isUsable(String address) {
    try {
      FreePorts.at(address);
      return true;
    } catch (UncheckedIOException e) {
      return false;
    }
  }
}
