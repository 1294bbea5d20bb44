package io.sluice.gateway.cli.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Folder with Linux' files of a machine that has the capacity for a million clients. */
public final class TestMachine {
  private static final String LIMITS =
      """
      Limit                     Soft Limit           Hard Limit           Units
      Max processes             96365                96365                processes
      Max open files            %s                %s                files
      Max locked memory         8388608              8388608              bytes
      """;

  private final Path root;

  public TestMachine(Path root) {
    this.root = root;
    descriptors("1100000", "1100000");
    put("proc/sys/fs/nr_open", "1100000\n");
    put("proc/sys/fs/file-max", "9223372036854775807\n");
    put("proc/sys/fs/file-nr", "1984\t0\t9223372036854775807\n");
    put("proc/sys/net/core/somaxconn", "65535\n");
    put("proc/sys/net/ipv4/tcp_max_syn_backlog", "65535\n");
    put("proc/sys/net/ipv4/tcp_syncookies", "0\n");
    put("proc/sys/net/ipv4/tcp_mem", "786432\t1048576\t1572864\n");
    put("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t262144\n");
    put("proc/sys/net/ipv4/tcp_wmem", "4096\t16384\t262144\n");
    put("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n");
    put("proc/sys/net/ipv4/ip_local_reserved_ports", "\n");
    put("proc/sys/net/netfilter/nf_conntrack_max", "1500000\n");
    put("proc/sys/vm/max_map_count", "65530\n");
    put("proc/sys/vm/swappiness", "60\n");
    put("proc/sys/kernel/io_uring_disabled", "0\n");
    memory(32L * 1024 * 1024, 0);
    put("proc/self/cgroup", "0::/system.slice/sluice.service\n");
    put("proc/self/status", "Name:\tjava\nSeccomp:\t0\nSeccomp_filters:\t0\n");
    put("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    put("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet \n");
  }

  /** A file's text from now on. */
  public void put(String path, String text) {
    try {
      Path file = root.resolve(path);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A setting's value from now on. */
  public void set(String key, String value) {
    put(Machine.settingPath(key), value + "\n");
  }

  void descriptors(String soft, String hard) {
    put("proc/self/limits", LIMITS.formatted(soft, hard));
  }

  void memory(long allKib, long swapKib) {
    put(
        "proc/meminfo",
        "MemTotal:       %d kB\nMemFree:        1 kB\nSwapTotal:      %d kB\n"
            .formatted(allKib, swapKib));
  }

  void remove(String path) {
    try {
      Files.delete(root.resolve(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Machine machine() {
    return new Machine(root);
  }
}
