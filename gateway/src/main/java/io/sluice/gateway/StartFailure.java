package io.sluice.gateway;

import io.sluice.gateway.config.Setting;

/** Failure of a node's start. Immutable; the message states the cause to the operator. */
public final class StartFailure extends Exception {
  private static final long serialVersionUID = 1L;

  StartFailure(String message, Throwable cause) {
    super(message, cause);
  }

  /** Returns the failure of a configuration whose module is missing. */
  static StartFailure missing(Setting<?> setting, String module, Throwable cause) {
    return new StartFailure(setting.key() + ": " + missing(module), cause);
  }

  /**
   * Requires that an error is due to a missing module.
   *
   * @param name package of the module
   * @throws NoClassDefFoundError the same error, if another class is missing
   */
  static void requireMissing(String name, NoClassDefFoundError error) {
    String missing = String.valueOf(error.getMessage());
    if (!missing.startsWith("io/sluice/gateway/" + name + "/")) {
      throw error;
    }
  }

  /** Returns what is wrong with a key whose module is missing. */
  static String missing(String module) {
    return "requires sluice-" + module + "-*.jar, which is not on the class path";
  }
}
