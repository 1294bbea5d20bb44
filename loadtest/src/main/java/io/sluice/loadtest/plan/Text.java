package io.sluice.loadtest.plan;

import java.util.Locale;

/** Numbers as people read them, the same in every country. */
final class Text {
  private Text() {}

  static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%,.3f", value);
  }
}
