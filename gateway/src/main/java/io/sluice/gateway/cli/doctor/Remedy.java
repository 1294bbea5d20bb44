package io.sluice.gateway.cli.doctor;

/**
 * A line that mends something, and where to put it. Immutable, for any thread.
 *
 * @param line as it has to stand there
 */
public record Remedy(String place, String line) {
  /** Nothing is to be done. */
  public static final Remedy NONE = new Remedy("", "");

  /** Where kernel settings go; {@code sysctl --system} reads it. */
  public static final String SYSCTL = "/etc/sysctl.d/90-sluice.conf";

  static Remedy sysctl(String key, Object value) {
    return new Remedy(SYSCTL, key + " = " + value);
  }

  static Remedy unit(String line) {
    return new Remedy("the node's systemd unit, [Service]", line);
  }

  static Remedy config(String key, Object value) {
    return new Remedy("the node's configuration", key + ": " + value);
  }

  static Remedy machine(String line) {
    return new Remedy("the machine", line);
  }
}
