package io.sluice.gateway.config;

import java.util.Locale;
import java.util.regex.Pattern;

/** Tells addresses that only this machine reaches. Asks no name server. Stateless. */
public final class Loopback {
  private static final Pattern V4 = Pattern.compile("127(\\.\\d{1,3}){3}");
  private static final Pattern V6 = Pattern.compile("\\[?(0*:)+0*1]?");

  private Loopback() {}

  /** Whether a host of a setting or of a {@code Host} header, without a port, is one of these. */
  public static boolean is(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    return name.equals("localhost") || V4.matcher(name).matches() || V6.matcher(name).matches();
  }
}
