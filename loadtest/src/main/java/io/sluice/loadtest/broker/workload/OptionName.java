package io.sluice.loadtest.broker.workload;

import java.util.Locale;

/** Name of an enum constant on the command line. Stateless, for any thread. */
public final class OptionName {
  private OptionName() {}

  public static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
