package io.sluice.loadtest.plan;

import java.util.Locale;

/** Formatter of numbers, independent of the locale. Stateless, for any thread. */
final class Text {
  private Text() {}

  static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%,.3f", value);
  }
}
