package io.sluice.gateway.cli.doctor;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The kernel's clock and calls, Java, and what is around the process. Stateless. */
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
      return Finding.untold(check, CLOCK);
    }
    String why =
        "the node reads the clock for every batch, without a system call only from a fast one";
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
        : Finding.change(
            check, found.get(), "tsc", why, Remedy.machine("one whose kernel trusts its tsc"));
  }

  private static Finding ring(Machine machine) {
    String key = "kernel.io_uring_disabled";
    OptionalLong found = machine.setting(key);
    String why = "without io_uring a node sends by a system call a client, at a fifth more CPU";
    if (found.isPresent() && found.getAsLong() != 0) {
      return Finding.change(key, Figures.count(found.getAsLong()), "0", why, Remedy.sysctl(key, 0));
    }
    if (machine.lineNumber(STATUS, "Seccomp:").orElse(0) == FILTERED) {
      String text = "a seccomp filter is in force, as in containers";
      return Finding.unknown(key, text, why + "; node.started in the log says what it got");
    }
    return found.isEmpty()
        ? Finding.untold(key, Machine.settingPath(key))
        : Finding.ok(key, "0", why);
  }

  private static Finding time() {
    return Finding.unknown(
        "offset of the clock",
        "no file tells",
        "nodes, broker and issuer should agree to well within resume.margin: chronyc tracking, or"
            + " timedatectl timesync-status");
  }

  private static Finding java(JavaFacts java) {
    String check = "Java";
    String found = java.version() + (java.compactHeaders() ? " with compact headers" : "");
    String why =
        "compact object headers make a client's objects smaller; bin/sluice switches them on";
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
            "net.* is of the container mostly, fs.*, vm.* and kernel.* are of its host: set them there")
        : Finding.ok(check, "no sign of one", "the settings are this machine's");
  }
}
