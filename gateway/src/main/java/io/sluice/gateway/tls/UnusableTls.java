package io.sluice.gateway.tls;

import io.sluice.gateway.config.Setting;

/** TLS was asked for and cannot be had; the message is for the operator. Immutable, any thread. */
public final class UnusableTls extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Setting<?> setting;
  private final String what;

  /**
   * @param setting the key that names what is wrong
   * @param what what is wrong with it
   */
  public UnusableTls(Setting<?> setting, String what, Throwable cause) {
    super(setting.key() + ": " + what, cause);
    this.setting = setting;
    this.what = what;
  }

  UnusableTls(Setting<?> setting, String what) {
    this(setting, what, null);
  }

  /** The key at which the problem is told. */
  public Setting<?> setting() {
    return setting;
  }

  /** The message without the key. */
  public String what() {
    return what;
  }
}
