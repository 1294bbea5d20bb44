package io.sluice.gateway.cli;

/** What other machines say must not command this terminal. Stateless, for any thread. */
final class Printable {
  private Printable() {}

  /** The text with a question mark for each character that is not to be seen. */
  static String of(String told) {
    return told.replaceAll("[\\p{Cc}\\p{Cf}]", "?");
  }
}
