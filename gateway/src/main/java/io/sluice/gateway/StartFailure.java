package io.sluice.gateway;

import io.sluice.gateway.config.Setting;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Failure of a node's start. Immutable; the message states the cause to the operator. */
public final class StartFailure extends Exception {
  private static final long serialVersionUID = 1L;

  StartFailure(String message, Throwable cause) {
    super(message, cause);
  }

  /** Returns the failure of a configuration whose modules are missing. */
  static StartFailure missing(Setting<?> setting, Throwable cause, String... modules) {
    return new StartFailure(setting.key() + ": " + missing(modules), cause);
  }

  /**
   * Requires that an error is due to a missing module.
   *
   * @param folders of the modules' packages below {@code io/sluice}
   * @throws NoClassDefFoundError the same error, if another class is missing
   */
  public static void requireMissing(NoClassDefFoundError error, String... folders) {
    String missing = String.valueOf(error.getMessage());
    if (Stream.of(folders).noneMatch(each -> missing.startsWith("io/sluice/" + each + "/"))) {
      throw error;
    }
  }

  /** Returns what is wrong with a key whose modules are missing. */
  public static String missing(String... modules) {
    return Stream.of(modules)
        .map("sluice-%s-*.jar"::formatted)
        .collect(
            Collectors.joining(
                " and ",
                "requires ",
                modules.length == 1
                    ? ", which is not on the class path"
                    : ", which are not on the class path"));
  }
}
