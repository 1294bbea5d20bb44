package io.sluice.gateway.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the control groups of a process, version 2 or 1, leave it of the machine. Any thread may
 * ask.
 */
final class ControlGroups {
  private static final String SECOND = "sys/fs/cgroup";
  private static final String FIRST_MEMORY = "sys/fs/cgroup/memory";
  private static final String FIRST_CPU = "sys/fs/cgroup/cpu";

  private final Machine machine;
  private final String processes;

  ControlGroups(Machine machine) {
    this.machine = machine;
    this.processes = machine.text("proc/self/cgroup").orElse("");
  }

  /** The least limit of memory, in bytes; the largest number if there is none. */
  long memory() {
    long least = Long.MAX_VALUE;
    for (String folder : folders(SECOND, "0::")) {
      least = Math.min(least, limit(folder + "/memory.max"));
    }
    for (String folder : folders(FIRST_MEMORY, "\\d+:(?:[^:]*,)?memory(?:,[^:]*)?:")) {
      least = Math.min(least, limit(folder + "/memory.limit_in_bytes"));
    }
    return least;
  }

  private long limit(String path) {
    OptionalLong found = machine.number(path);
    return found.orElse(Long.MAX_VALUE);
  }

  /** The least limit of processors; empty if there is none. */
  OptionalDouble processors() {
    double least = Double.MAX_VALUE;
    for (String folder : folders(SECOND, "0::")) {
      least = Math.min(least, share(machine.numbers(folder + "/cpu.max")));
    }
    for (String folder : folders(FIRST_CPU, "\\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:")) {
      long[] both = {
        machine.number(folder + "/cpu.cfs_quota_us").orElse(-1),
        machine.number(folder + "/cpu.cfs_period_us").orElse(-1)
      };
      least = Math.min(least, share(both));
    }
    return least == Double.MAX_VALUE ? OptionalDouble.empty() : OptionalDouble.of(least);
  }

  private static double share(long[] quotaAndPeriod) {
    boolean limited =
        quotaAndPeriod.length == 2
            && quotaAndPeriod[0] > 0
            && quotaAndPeriod[0] != Long.MAX_VALUE
            && quotaAndPeriod[1] > 0;
    return limited ? (double) quotaAndPeriod[0] / quotaAndPeriod[1] : Double.MAX_VALUE;
  }

  /** The group's folder and those above, each of which may limit it. */
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
