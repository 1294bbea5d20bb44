package io.sluice.gateway.cli.doctor;

import java.util.OptionalLong;

/**
 * Result of one check. Immutable, for any thread.
 *
 * @param check the checked item, such as {@code fs.nr_open}
 * @param found the actual value
 * @param wanted the required value; empty if unknown
 * @param why reason for the check, one line
 * @param remedy the necessary change; {@link Remedy#NONE} unless the verdict is CHANGE
 */
public record Finding(
    String check, Verdict verdict, String found, String wanted, String why, Remedy remedy) {
  /** Conclusion of a check. */
  public enum Verdict {
    OK,
    CHANGE,
    UNKNOWN
  }

  static Finding ok(String check, String found, String why) {
    return new Finding(check, Verdict.OK, found, "", why, Remedy.NONE);
  }

  static Finding unknown(String check, String found, String why) {
    return new Finding(check, Verdict.UNKNOWN, found, "", why, Remedy.NONE);
  }

  static Finding change(String check, String found, String wanted, String why, Remedy remedy) {
    return new Finding(check, Verdict.CHANGE, found, wanted, why, remedy);
  }

  /** Returns the finding for a file that is missing or unreadable. */
  static Finding unreadable(String check, String path) {
    return unknown(check, "cannot be read from /" + path, "");
  }

  /** Returns the finding for a kernel setting with a minimum. */
  static Finding setting(Machine machine, String key, long wanted, String why) {
    OptionalLong found = machine.setting(key);
    return found.isEmpty()
        ? unreadable(key, Machine.settingPath(key))
        : atLeast(key, found.getAsLong(), wanted, why, Remedy.sysctl(key, wanted));
  }

  /** Returns the finding for a figure with a minimum. */
  static Finding atLeast(String check, long found, long wanted, String why, Remedy remedy) {
    String text = Figures.count(found);
    return found >= wanted
        ? new Finding(check, Verdict.OK, text, Figures.count(wanted) + " or more", why, Remedy.NONE)
        : change(check, text, Figures.count(wanted) + " or more", why, remedy);
  }
}
