package io.sluice.loadtest.broker;

import java.util.Locale;

/** How a constant is written on the command line. Stateless. */
final class Words {
  private Words() {}

  static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
