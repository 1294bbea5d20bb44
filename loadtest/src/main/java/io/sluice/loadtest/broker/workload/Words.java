package io.sluice.loadtest.broker.workload;

import java.util.Locale;

/** How a constant is written on the command line. Stateless. */
public final class Words {
  private Words() {}

  public static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
