package io.sluice.gateway.cli.doctor;

import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks of the limits of open files. Stateless, for any thread. */
final class DescriptorChecks {
  private static final String LIMITS = "proc/self/limits";
  private static final Pattern OPEN_FILES =
      Pattern.compile("(?m)^Max open files\\s+(\\S+)\\s+(\\S+)");

  private DescriptorChecks() {}

  static List<Finding> of(Machine machine, Requirements requirements) {
    return List.of(
        configured(requirements),
        ofProcess(machine, requirements),
        maximum(machine, requirements),
        all(machine, requirements));
  }

  private static Finding configured(Requirements requirements) {
    return Finding.atLeast(
        "limits.per-node.connections",
        requirements.limitOfConnections(),
        requirements.clients(),
        "the node accepts no more clients",
        Remedy.config("limits.per-node.connections", requirements.clients()));
  }

  private static Finding ofProcess(Machine machine, Requirements requirements) {
    String check = "descriptors of a process";
    Matcher limits = OPEN_FILES.matcher(machine.text(LIMITS).orElse(""));
    if (!limits.find()) {
      return Finding.unreadable(check, LIMITS);
    }
    long soft = Machine.parse(limits.group(1));
    long hard = Machine.parse(limits.group(2));
    String found = Figures.count(hard) + " (soft " + Figures.count(soft) + ")";
    String why =
        "each client uses one; Java raises the soft limit to the hard one. These are the limits of"
            + " this command; a service has its own limits";
    String wanted = Figures.count(requirements.descriptors()) + " or more";
    return hard >= requirements.descriptors()
        ? new Finding(check, Finding.Verdict.OK, found, wanted, why, Remedy.NONE)
        : Finding.change(
            check, found, wanted, why, Remedy.unit("LimitNOFILE=" + requirements.descriptors()));
  }

  private static Finding maximum(Machine machine, Requirements requirements) {
    String why = "no process can have more descriptors";
    return Finding.setting(machine, "fs.nr_open", requirements.descriptors(), why);
  }

  private static Finding all(Machine machine, Requirements requirements) {
    String key = "fs.file-max";
    OptionalLong found = machine.setting(key);
    long[] used = machine.numbers("proc/sys/fs/file-nr");
    if (found.isEmpty()) {
      return Finding.unreadable(key, Machine.settingPath(key));
    }
    long wanted = requirements.descriptors() + (used.length > 0 ? used[0] : 0);
    return Finding.atLeast(
        key,
        found.getAsLong(),
        wanted,
        "open files of all processes together, including those open now",
        Remedy.sysctl(key, wanted));
  }
}
