package io.sluice.gateway.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Limits of a process's control groups, version 2 or 1. For any thread. */
final class ControlGroups {
  private static final String V2 = "sys/fs/cgroup";
  private static final String V1_MEMORY = "sys/fs/cgroup/memory";
  private static final String V1_CPU = "sys/fs/cgroup/cpu";

  private final Machine machine;
  private final String processes;

  ControlGroups(Machine machine) {
    this.machine = machine;
    this.processes = machine.text("proc/self/cgroup").orElse("");
  }

  /** Returns the lowest memory limit in bytes; {@code Long.MAX_VALUE} if there is none. */
  long memory() {
    long lowest = Long.MAX_VALUE;
    for (String folder : folders(V2, "0::")) {
      lowest = Math.min(lowest, limit(folder + "/memory.max"));
    }
    for (String folder : folders(V1_MEMORY, "\\d+:(?:[^:]*,)?memory(?:,[^:]*)?:")) {
      lowest = Math.min(lowest, limit(folder + "/memory.limit_in_bytes"));
    }
    return lowest;
  }

  private long limit(String path) {
    OptionalLong found = machine.number(path);
    return found.orElse(Long.MAX_VALUE);
  }

  /** Returns the lowest CPU limit, in processors; empty if there is none. */
  OptionalDouble processors() {
    double lowest = Double.MAX_VALUE;
    for (String folder : folders(V2, "0::")) {
      lowest = Math.min(lowest, processors(machine.numbers(folder + "/cpu.max")));
    }
    for (String folder : folders(V1_CPU, "\\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:")) {
      long[] quotaAndPeriod = {
        machine.number(folder + "/cpu.cfs_quota_us").orElse(-1),
        machine.number(folder + "/cpu.cfs_period_us").orElse(-1)
      };
      lowest = Math.min(lowest, processors(quotaAndPeriod));
    }
    return lowest == Double.MAX_VALUE ? OptionalDouble.empty() : OptionalDouble.of(lowest);
  }

  private static double processors(long[] quotaAndPeriod) {
    boolean limited =
        quotaAndPeriod.length == 2
            && quotaAndPeriod[0] > 0
            && quotaAndPeriod[0] != Long.MAX_VALUE
            && quotaAndPeriod[1] > 0;
    return limited ? (double) quotaAndPeriod[0] / quotaAndPeriod[1] : Double.MAX_VALUE;
  }

  /** Returns the folders of the group and of its ancestors, each of which may limit it. */
  private List<String> folders(String mount, String line) {
    List<String> folders = new ArrayList<>();
    folders.add(mount);
    Matcher found = Pattern.compile("(?m)^" + line + "/(\\S*)$").matcher(processes);
    if (found.find() && !found.group(1).isEmpty()) {
      StringBuilder folder = new StringBuilder(mount);
      for (String name : found.group(1).split("/")) {
        folders.add(folder.append('/').append(name).toString());
      }
    }
    return folders;
  }
}
