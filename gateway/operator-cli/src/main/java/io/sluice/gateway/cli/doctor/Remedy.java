package io.sluice.gateway.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/**
 * Change that fixes a finding. Immutable, for any thread.
 *
 * @param place file or object to change
 * @param line line to add there
 */
public record Remedy(String place, String line) {
  /** No change. */
  public static final Remedy NONE = new Remedy("", "");

  /** File for kernel settings, read by {@code sysctl --system}. */
  public static final String SYSCTL = "/etc/sysctl.d/90-sluice.conf";

  private static final String JAVA_OPTIONS = "Environment=SLUICE_JAVA_OPTS=";

  static Remedy sysctl(String key, Object value) {
    return new Remedy(SYSCTL, key + " = " + value);
  }

  static Remedy unit(String line) {
    return new Remedy("the node's systemd unit, [Service]", line);
  }

  static Remedy javaOption(String option) {
    return unit(JAVA_OPTIONS + option);
  }

  static Remedy config(String key, Object value) {
    return new Remedy("the node's configuration", key + ": " + value);
  }

  static Remedy machine(String line) {
    return new Remedy("the machine", line);
  }

  /** Returns the lines; Java options are joined, because systemd uses only the last line. */
  static List<String> lines(List<Remedy> remedies) {
    List<String> lines = new ArrayList<>();
    List<String> options = new ArrayList<>();
    for (Remedy remedy : remedies) {
      if (remedy.line.startsWith(JAVA_OPTIONS)) {
        options.add(remedy.line.substring(JAVA_OPTIONS.length()));
      } else {
        lines.add(remedy.line);
      }
    }
    if (options.size() == 1) {
      lines.add(JAVA_OPTIONS + options.get(0));
    } else if (!options.isEmpty()) {
      lines.add("Environment=\"SLUICE_JAVA_OPTS=" + String.join(" ", options) + "\"");
    }
    return lines;
  }
}
