package io.sluice.gateway.auth;

import io.sluice.gateway.config.Setting;

/** A node can't check credentials as it is configured to; the message names the setting. */
public final class UnusableAuth extends Exception {
  private static final long serialVersionUID = 1;

  private final transient Setting<?> setting;
  private final String what;

  /**
   * @param setting the key that names what is wrong
   * @param what what is wrong with it
   */
  public UnusableAuth(Setting<?> setting, String what, Throwable cause) {
    super(setting.key() + " " + what, cause);
    this.setting = setting;
    this.what = what;
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
