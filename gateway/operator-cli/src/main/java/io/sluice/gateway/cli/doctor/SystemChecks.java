package io.sluice.gateway.cli.doctor;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Checks of clock, io_uring, Java and container. Stateless, for any thread. */
final class SystemChecks {
  private static final Set<String> FAST_CLOCKS =
      Set.of("tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page");
  private static final String CLOCK =
      "sys/devices/system/clocksource/clocksource0/current_clocksource";
  private static final String AVAILABLE_CLOCKS =
      "sys/devices/system/clocksource/clocksource0/available_clocksource";
  private static final String STATUS = "proc/self/status";
  private static final int FILTERED = 2;
  private static final int COMPACT_SINCE = 25;
  private static final List<String> CONTAINER_MARKS =
      List.of(".dockerenv", "run/.containerenv", "var/run/secrets/kubernetes.io");

  private SystemChecks() {}

  static List<Finding> of(Machine machine, JavaFacts java) {
    return List.of(clockSource(machine), ring(machine), time(), java(java), container(machine));
  }

  private static Finding clockSource(Machine machine) {
    String check = "clock source";
    Optional<String> found = machine.text(CLOCK);
    if (found.isEmpty()) {
      return Finding.unreadable(check, CLOCK);
    }
    String why =
        "the node reads the clock for every batch; a slow clock source needs a system call";
    if (FAST_CLOCKS.contains(found.get())) {
      return Finding.ok(check, found.get(), why);
    }
    boolean there = List.of(machine.text(AVAILABLE_CLOCKS).orElse("").split(" ")).contains("tsc");
    return there
        ? Finding.change(
            check,
            found.get(),
            "tsc",
            why,
            new Remedy("the kernel's command line", "clocksource=tsc"))
        : Finding.change(check, found.get(), "tsc", why, Remedy.machine("one with a stable tsc"));
  }

  private static Finding ring(Machine machine) {
    String key = "kernel.io_uring_disabled";
    OptionalLong found = machine.setting(key);
    String why = "without io_uring a node makes one system call per client, at a fifth more CPU";
    if (found.isPresent() && found.getAsLong() != 0) {
      return Finding.change(key, Figures.count(found.getAsLong()), "0", why, Remedy.sysctl(key, 0));
    }
    if (machine.lineNumber(STATUS, "Seccomp:").orElse(0) == FILTERED) {
      String text = "a seccomp filter is active, as in containers";
      return Finding.unknown(key, text, why + "; node.started in the log contains the transport");
    }
    return found.isEmpty()
        ? Finding.unreadable(key, Machine.settingPath(key))
        : Finding.ok(key, "0", why);
  }

  private static Finding time() {
    return Finding.unknown(
        "offset of the clock",
        "cannot be read from a file",
        "the clocks of nodes, broker and issuer must differ by less than resume.margin minus 4.5 s:"
            + " chronyc tracking, or timedatectl timesync-status");
  }

  private static Finding java(JavaFacts java) {
    String check = "Java";
    String found = java.version() + (java.compactHeaders() ? " with compact headers" : "");
    String why = "compact object headers reduce the memory per client; bin/sluice enables them";
    if (java.compactHeaders()) {
      return Finding.ok(check, found, why);
    }
    return java.version() >= COMPACT_SINCE
        ? Finding.change(
            check,
            found,
            "with compact headers",
            why,
            Remedy.javaOption("-XX:+UseCompactObjectHeaders"))
        : Finding.change(
            check, found, COMPACT_SINCE + " or later", why, Remedy.machine("JDK " + COMPACT_SINCE));
  }

  private static Finding container(Machine machine) {
    String check = "container";
    boolean inside = CONTAINER_MARKS.stream().anyMatch(machine::has);
    return inside
        ? Finding.ok(
            check,
            "yes",
            "most of net.* belongs to the container; fs.*, vm.* and kernel.* belong to its host and"
                + " must be set there")
        : Finding.ok(check, "not detected", "the settings are those of this machine");
  }
}
