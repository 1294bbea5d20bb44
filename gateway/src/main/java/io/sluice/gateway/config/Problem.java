package io.sluice.gateway.config;

/**
 * One thing that is wrong with a configuration. Immutable, for any thread.
 *
 * @param origin where it stands
 * @param key the full key, empty if the problem is the file's
 * @param what what is wrong
 * @param expected what would be right, empty if that goes without saying
 */
public record Problem(Origin origin, String key, String what, String expected) {
  /** One line for people: place, key, what is wrong, what would be right. */
  @Override
  public String toString() {
    String place = key.isEmpty() ? origin + ": " : origin + ": " + key + ": ";
    return place + what + (expected.isEmpty() ? "" : "; expected " + expected);
  }
}
