package io.sluice.gateway.cli.doctor;

import java.util.List;

/** Whether the kernel has room for what is under way. Stateless, for any thread. */
final class BufferChecks {
  private static final String ALL = "net.ipv4.tcp_mem";
  private static final int LEAST_BUFFER = 64 * 1024;

  private BufferChecks() {}

  static List<Finding> of(Machine machine, Need need) {
    long[] all = machine.numbers(Machine.settingPath(ALL));
    long pages = all.length == 3 ? Math.max(all[1], need.bufferPages()) : need.bufferPages();
    long most = largest(pages * Need.PAGE, need.slowClients());
    return List.of(all(all, need), sent(machine, need, most), received(machine, need, most));
  }

  /** The largest power of two that slow clients together may have each. */
  private static long largest(long bytes, long slowClients) {
    return Math.max(LEAST_BUFFER, Long.highestOneBit(bytes / slowClients));
  }

  private static Finding all(long[] found, Need need) {
    if (found.length != 3) {
      return Finding.untold(ALL, Machine.settingPath(ALL));
    }
    long pages = need.bufferPages();
    String text = text(found) + " pages";
    String why =
        "a page a client that has something under way; beyond the second figure the kernel"
            + " cuts buffers, beyond the third it drops";
    if (found[1] >= pages) {
      return Finding.ok(ALL, text, why);
    }
    String wanted = "the second at least " + Figures.count(pages);
    String line = pages * 3 / 4 + " " + pages + " " + pages * 3 / 2;
    return Finding.change(ALL, text, wanted, why, Remedy.sysctl(ALL, line));
  }

  private static Finding sent(Machine machine, Need need, long most) {
    String key = "net.ipv4.tcp_wmem";
    String why =
        "the third is what a client that does not read may hold; one in a hundred does not, so"
            + " reckoned";
    return socket(machine, key, most, why);
  }

  private static Finding received(Machine machine, Need need, long most) {
    String why =
        "the third is what a client may hold that sends faster than it may; one in a hundred, so"
            + " reckoned";
    return socket(machine, "net.ipv4.tcp_rmem", most, why);
  }

  private static Finding socket(Machine machine, String key, long most, String why) {
    long[] found = machine.numbers(Machine.settingPath(key));
    if (found.length != 3) {
      return Finding.untold(key, Machine.settingPath(key));
    }
    if (found[2] <= most) {
      return Finding.ok(key, text(found), why);
    }
    String line = found[0] + " " + Math.min(found[1], most) + " " + most;
    String wanted = "the third at most " + Figures.count(most);
    return Finding.change(key, text(found), wanted, why, Remedy.sysctl(key, line));
  }

  private static String text(long[] found) {
    return found[0] + " " + found[1] + " " + found[2];
  }
}
