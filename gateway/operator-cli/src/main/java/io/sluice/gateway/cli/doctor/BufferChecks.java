package io.sluice.gateway.cli.doctor;

import java.util.List;

/** Checks of the kernel's TCP buffer limits. Stateless, for any thread. */
final class BufferChecks {
  private static final String ALL = "net.ipv4.tcp_mem";
  private static final int MIN_BUFFER = 64 * 1024;

  private BufferChecks() {}

  static List<Finding> of(Machine machine, Requirements requirements) {
    long[] all = machine.numbers(Machine.settingPath(ALL));
    long pages =
        all.length == 3 ? Math.max(all[1], requirements.bufferPages()) : requirements.bufferPages();
    long max = largest(pages * Requirements.PAGE, requirements.slowClients());
    return List.of(
        all(all, requirements),
        sent(machine, requirements, max),
        received(machine, requirements, max));
  }

  /** Returns the largest power of two that all slow clients may use at the same time. */
  private static long largest(long bytes, long slowClients) {
    return Math.max(MIN_BUFFER, Long.highestOneBit(bytes / slowClients));
  }

  private static Finding all(long[] found, Requirements requirements) {
    if (found.length != 3) {
      return Finding.unreadable(ALL, Machine.settingPath(ALL));
    }
    long pages = requirements.bufferPages();
    String text = text(found) + " pages";
    String why =
        "one page per client with data in flight; above pressure, the second value, the kernel"
            + " shrinks buffers; above max, the third, it drops packets";
    if (found[1] >= pages) {
      return Finding.ok(ALL, text, why);
    }
    String wanted = "pressure (second value) " + Figures.count(pages) + " or more";
    String line = pages * 3 / 4 + " " + pages + " " + pages * 3 / 2;
    return Finding.change(ALL, text, wanted, why, Remedy.sysctl(ALL, line));
  }

  private static Finding sent(Machine machine, Requirements requirements, long max) {
    String key = "net.ipv4.tcp_wmem";
    String why =
        "max, the third value, limits the buffer of a client that does not read; estimated as one"
            + " in a hundred clients";
    return socket(machine, key, max, why);
  }

  private static Finding received(Machine machine, Requirements requirements, long max) {
    String why =
        "max, the third value, limits the buffer of a client that exceeds its rate limit; estimated"
            + " as one in a hundred clients";
    return socket(machine, "net.ipv4.tcp_rmem", max, why);
  }

  private static Finding socket(Machine machine, String key, long max, String why) {
    long[] found = machine.numbers(Machine.settingPath(key));
    if (found.length != 3) {
      return Finding.unreadable(key, Machine.settingPath(key));
    }
    if (found[2] <= max) {
      return Finding.ok(key, text(found), why);
    }
    String line = found[0] + " " + Math.min(found[1], max) + " " + max;
    String wanted = "max (third value) " + Figures.count(max) + " or less";
    return Finding.change(key, text(found), wanted, why, Remedy.sysctl(key, line));
  }

  private static String text(long[] found) {
    return found[0] + " " + found[1] + " " + found[2];
  }
}
