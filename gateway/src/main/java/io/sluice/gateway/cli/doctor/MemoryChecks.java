package io.sluice.gateway.cli.doctor;

import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Whether memory and processors do. Stateless, for any thread. */
final class MemoryChecks {
  private static final int KIB = 1024;
  private static final int MIB = 1024 * 1024;
  private static final int LEAST_MAPS = 65_530;
  private static final int SWAPPINESS = 1;
  private static final int FEW = 10;

  private MemoryChecks() {}

  static List<Finding> of(Machine machine, Need need, JavaFacts java) {
    ControlGroups groups = new ControlGroups(machine);
    return List.of(
        memory(machine, groups, need),
        heap(need, java),
        processors(groups),
        swap(machine),
        maps(machine));
  }

  private static Finding memory(Machine machine, ControlGroups groups, Need need) {
    OptionalLong all = machine.lineNumber("proc/meminfo", "MemTotal:");
    if (all.isEmpty()) {
      return Finding.untold("memory", "proc/meminfo");
    }
    long whole = all.getAsLong() * KIB;
    long found = Math.min(whole, groups.memory());
    String text = Figures.bytes(found) + (found < whole ? " (of the control group)" : "");
    String wanted = Figures.bytes(need.memoryBytes()) + " or more";
    String why =
        "the process and the kernel's sockets, without what slow clients hold"
            + (need.isEncrypted() ? ", and without TLS, whose need was not measured" : "");
    if (found >= need.memoryBytes()) {
      return new Finding("memory", Finding.Verdict.OK, text, wanted, why, Remedy.NONE);
    }
    Remedy remedy =
        found < whole
            ? Remedy.unit("MemoryMax=" + mebibytes(need.memoryBytes()) + "M")
            : Remedy.machine("more memory, or fewer clients a node");
    return Finding.change("memory", text, wanted, why, remedy);
  }

  private static long mebibytes(long bytes) {
    return bytes / MIB + 1;
  }

  private static Finding heap(Need need, JavaFacts java) {
    String check = "heap of Java";
    String found = Figures.bytes(java.heap());
    String wanted = Figures.bytes(need.heapBytes()) + " or more";
    String why = "sessions and history.memory; by itself Java takes a quarter of the memory";
    if (java.heap() >= need.heapBytes()) {
      return new Finding(check, Finding.Verdict.OK, found, wanted, why, Remedy.NONE);
    }
    Remedy remedy = Remedy.javaOption("-Xmx" + mebibytes(need.heapBytes()) + "m");
    return Finding.change(check, found, wanted, why, remedy);
  }

  private static Finding processors(ControlGroups groups) {
    String check = "limit of processors";
    OptionalDouble found = groups.processors();
    if (found.isEmpty()) {
      return Finding.ok(check, "none", "no control group holds the event loops up");
    }
    String text = Figures.decimal(found.getAsDouble());
    String why = "a control group that has used up its share stops all event loops for a while";
    return found.getAsDouble() >= 1
        ? Finding.ok(check, text, why)
        : Finding.change(check, text, "1 or more", why, Remedy.unit("CPUQuota=100%"));
  }

  private static Finding swap(Machine machine) {
    String key = "vm.swappiness";
    long all = machine.lineNumber("proc/meminfo", "SwapTotal:").orElse(-1);
    OptionalLong found = machine.setting(key);
    if (all < 0 || found.isEmpty()) {
      return Finding.untold(key, all < 0 ? "proc/meminfo" : Machine.settingPath(key));
    }
    if (all == 0) {
      return Finding.ok(key, "no swap", "nothing of the heap can be swapped out");
    }
    String text = found.getAsLong() + ", with " + Figures.bytes(all * KIB) + " of swap";
    String why = "a collection that meets swapped pages stops the node for seconds";
    return found.getAsLong() <= FEW
        ? Finding.ok(key, text, why)
        : Finding.change(key, text, "at most " + FEW, why, Remedy.sysctl(key, SWAPPINESS));
  }

  private static Finding maps(Machine machine) {
    String key = "vm.max_map_count";
    OptionalLong found = machine.setting(key);
    return found.isEmpty()
        ? Finding.untold(key, Machine.settingPath(key))
        : Finding.atLeast(
            key,
            found.getAsLong(),
            LEAST_MAPS,
            "Java ends when it gets no more mappings; clients need none of their own",
            Remedy.sysctl(key, LEAST_MAPS));
  }
}
