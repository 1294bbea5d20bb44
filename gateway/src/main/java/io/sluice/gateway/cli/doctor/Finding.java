package io.sluice.gateway.cli.doctor;

import java.util.OptionalLong;

/**
 * What one thing about a machine is, and what it should be. Immutable, for any thread.
 *
 * @param check what was looked at, such as {@code fs.nr_open}
 * @param found what it is
 * @param wanted what it should be; empty if nothing can be said
 * @param why it matters, one line
 * @param remedy what to do; {@link Remedy#NONE} unless something is to change
 */
public record Finding(
    String check, Verdict verdict, String found, String wanted, String why, Remedy remedy) {
  /** What it means. */
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

  /** The file that would tell is not there, or can't be read. */
  static Finding untold(String check, String path) {
    return unknown(check, "/" + path + " does not tell", "");
  }

  /** A setting of the kernel that must be so large at least. */
  static Finding setting(Machine machine, String key, long wanted, String why) {
    OptionalLong found = machine.setting(key);
    return found.isEmpty()
        ? untold(key, Machine.settingPath(key))
        : atLeast(key, found.getAsLong(), wanted, why, Remedy.sysctl(key, wanted));
  }

  /** A figure that must be so large at least. */
  static Finding atLeast(String check, long found, long wanted, String why, Remedy remedy) {
    String text = Figures.count(found);
    return found >= wanted
        ? new Finding(check, Verdict.OK, text, Figures.count(wanted) + " or more", why, Remedy.NONE)
        : change(check, text, Figures.count(wanted) + " or more", why, remedy);
  }
}
