package io.sluice.gateway.cli.doctor;

import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether each client can have its descriptor. Stateless, for any thread. */
final class DescriptorChecks {
  private static final String LIMITS = "proc/self/limits";
  private static final Pattern OPEN_FILES =
      Pattern.compile("(?m)^Max open files\\s+(\\S+)\\s+(\\S+)");

  private DescriptorChecks() {}

  static List<Finding> of(Machine machine, Need need) {
    return List.of(
        configured(need), ofProcess(machine, need), most(machine, need), all(machine, need));
  }

  private static Finding configured(Need need) {
    return Finding.atLeast(
        "limits.per-node.connections",
        need.limitOfConnections(),
        need.clients(),
        "the node takes no more clients",
        Remedy.config("limits.per-node.connections", need.clients()));
  }

  private static Finding ofProcess(Machine machine, Need need) {
    String check = "descriptors of a process";
    Matcher limits = OPEN_FILES.matcher(machine.text(LIMITS).orElse(""));
    if (!limits.find()) {
      return Finding.untold(check, LIMITS);
    }
    long soft = Machine.parse(limits.group(1));
    long hard = Machine.parse(limits.group(2));
    String found = Figures.count(hard) + " (soft " + Figures.count(soft) + ")";
    String why =
        "each client is one; Java raises the soft limit to the hard one. These are this command's:"
            + " a service has its own";
    String wanted = Figures.count(need.descriptors()) + " or more";
    return hard >= need.descriptors()
        ? new Finding(check, Finding.Verdict.OK, found, wanted, why, Remedy.NONE)
        : Finding.change(
            check, found, wanted, why, Remedy.unit("LimitNOFILE=" + need.descriptors()));
  }

  private static Finding most(Machine machine, Need need) {
    String why = "no process can be given more descriptors";
    return Finding.setting(machine, "fs.nr_open", need.descriptors(), why);
  }

  private static Finding all(Machine machine, Need need) {
    String key = "fs.file-max";
    OptionalLong found = machine.setting(key);
    long[] used = machine.numbers("proc/sys/fs/file-nr");
    if (found.isEmpty()) {
      return Finding.untold(key, Machine.settingPath(key));
    }
    long wanted = need.descriptors() + (used.length > 0 ? used[0] : 0);
    return Finding.atLeast(
        key,
        found.getAsLong(),
        wanted,
        "files of all processes together, those that are open now among them",
        Remedy.sysctl(key, wanted));
  }
}
