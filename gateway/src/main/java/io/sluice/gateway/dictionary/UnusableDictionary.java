package io.sluice.gateway.dictionary;

/** Dictionary that cannot be used; the message names the file and the cause. Immutable. */
public final class UnusableDictionary extends Exception {
  private static final long serialVersionUID = 1L;

  UnusableDictionary(String message, Throwable cause) {
    super(message, cause);
  }
}
