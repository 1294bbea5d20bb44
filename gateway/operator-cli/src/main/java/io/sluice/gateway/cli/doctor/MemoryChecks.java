package io.sluice.gateway.cli.doctor;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Checks of memory, heap, CPU limit and swap. Stateless, for any thread. */
final class MemoryChecks {
  private static final int KIB = 1024;
  private static final int MIB = 1024 * 1024;
  private static final int MIN_MAPS = 65_530;
  private static final int SWAPPINESS = 1;
  private static final int MAX_SWAPPINESS = 10;

  private MemoryChecks() {}

  static List<Finding> of(Machine machine, Requirements requirements, JavaFacts java) {
    ControlGroups groups = new ControlGroups(machine);
    return List.of(
        memory(machine, groups, requirements),
        heap(requirements, java),
        processors(groups),
        swap(machine),
        maps(machine));
  }

  private static Finding memory(Machine machine, ControlGroups groups, Requirements requirements) {
    OptionalLong all = machine.lineNumber("proc/meminfo", "MemTotal:");
    if (all.isEmpty()) {
      return Finding.unreadable("memory", "proc/meminfo");
    }
    long whole = all.getAsLong() * KIB;
    long found = Math.min(whole, groups.memory());
    String text = Figures.bytes(found) + (found < whole ? " (of the control group)" : "");
    String wanted = Figures.bytes(requirements.memoryBytes()) + " or more";
    String why =
        "the process and the kernel's sockets, without the buffers of slow clients"
            + (requirements.isEncrypted() ? " and without TLS, which is not measured" : "");
    if (found >= requirements.memoryBytes()) {
      return new Finding("memory", Finding.Verdict.OK, text, wanted, why, Remedy.NONE);
    }
    Remedy remedy =
        found < whole
            ? Remedy.unit("MemoryMax=" + mebibytes(requirements.memoryBytes()) + "M")
            : Remedy.machine("more memory, or fewer clients per node");
    return Finding.change("memory", text, wanted, why, remedy);
  }

  private static long mebibytes(long bytes) {
    return bytes / MIB + 1;
  }

  private static Finding heap(Requirements requirements, JavaFacts java) {
    String check = "heap of Java";
    String found = Figures.bytes(java.heap());
    String wanted = Figures.bytes(requirements.heapBytes()) + " or more";
    String why = "sessions and history.memory; by default Java uses a quarter of the memory";
    if (java.heap() >= requirements.heapBytes()) {
      return new Finding(check, Finding.Verdict.OK, found, wanted, why, Remedy.NONE);
    }
    Remedy remedy = Remedy.javaOption("-Xmx" + mebibytes(requirements.heapBytes()) + "m");
    return Finding.change(check, found, wanted, why, remedy);
  }

  private static Finding processors(ControlGroups groups) {
    String check = "limit of processors";
    OptionalDouble found = groups.processors();
    if (found.isEmpty()) {
      return Finding.ok(check, "none", "no control group throttles the event loops");
    }
    String text = Figures.decimal(found.getAsDouble());
    String why = "a control group that exceeds its quota throttles all event loops";
    return found.getAsDouble() >= 1
        ? Finding.ok(check, text, why)
        : Finding.change(check, text, "1 or more", why, Remedy.unit("CPUQuota=100%"));
  }

  private static Finding swap(Machine machine) {
    String key = "vm.swappiness";
    long all = machine.lineNumber("proc/meminfo", "SwapTotal:").orElse(-1);
    OptionalLong found = machine.setting(key);
    if (all < 0 || found.isEmpty()) {
      return Finding.unreadable(key, all < 0 ? "proc/meminfo" : Machine.settingPath(key));
    }
    if (all == 0) {
      return Finding.ok(key, "no swap", "the heap cannot be swapped out");
    }
    String text = found.getAsLong() + ", with " + Figures.bytes(all * KIB) + " of swap";
    String why = "a garbage collection that accesses swapped pages pauses the node for seconds";
    return found.getAsLong() <= MAX_SWAPPINESS
        ? Finding.ok(key, text, why)
        : Finding.change(
            key, text, "at most " + MAX_SWAPPINESS, why, Remedy.sysctl(key, SWAPPINESS));
  }

  private static Finding maps(Machine machine) {
    String key = "vm.max_map_count";
    OptionalLong found = machine.setting(key);
    return found.isEmpty()
        ? Finding.unreadable(key, Machine.settingPath(key))
        : Finding.atLeast(
            key,
            found.getAsLong(),
            MIN_MAPS,
            "Java terminates if it exceeds its mappings; clients need no mappings",
            Remedy.sysctl(key, MIN_MAPS));
  }
}
