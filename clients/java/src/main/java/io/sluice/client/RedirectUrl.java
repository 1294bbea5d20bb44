package io.sluice.client;

import okhttp3.Request;

/** Check of the addresses that nodes name. */
final class RedirectUrl {
  private RedirectUrl() {}

  /** Returns whether a redirect is secure enough and can be followed. */
  static boolean isUsable(String from, String url) {
    boolean isSecure = url.startsWith("wss://");
    boolean isPlain = url.startsWith("ws://") && !from.startsWith("wss:");
    return (isSecure || isPlain) && url.indexOf('#') < 0 && isValid(url);
  }

  private static boolean isValid(String url) {
    try {
      new Request.Builder().url(url);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
