package io.sluice.gateway.cli.doctor;

import java.util.Locale;

/** Formatter of figures for people. Stateless, for any thread. */
final class Figures {
  private static final long MIB = 1024 * 1024;
  private static final long GIB = 1024 * MIB;
  private static final double TENTHS_FROM = 10.0;

  private Figures() {}

  static String count(long number) {
    return number == Long.MAX_VALUE ? "unlimited" : String.format(Locale.ROOT, "%,d", number);
  }

  static String bytes(long bytes) {
    if (bytes == Long.MAX_VALUE) {
      return "unlimited";
    }
    double value = (double) bytes / (bytes >= GIB ? GIB : MIB);
    String pattern = value < TENTHS_FROM ? "%.1f %s" : "%,.0f %s";
    return String.format(Locale.ROOT, pattern, value, bytes >= GIB ? "GiB" : "MiB");
  }

  static String decimal(double number) {
    return String.format(Locale.ROOT, "%.1f", number);
  }
}
