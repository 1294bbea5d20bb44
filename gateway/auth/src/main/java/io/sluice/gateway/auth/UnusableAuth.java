package io.sluice.gateway.auth;

import io.sluice.gateway.config.Setting;

/** Configuration of authentication that cannot be used; the message names the setting. */
public final class UnusableAuth extends Exception {
  private static final long serialVersionUID = 1;

  private final transient Setting<?> setting;
  private final String what;

  /**
   * @param setting the invalid setting
   * @param what the problem
   */
  public UnusableAuth(Setting<?> setting, String what, Throwable cause) {
    super(setting.key() + " " + what, cause);
    this.setting = setting;
    this.what = what;
  }

  /** Returns the setting that the problem is reported at. */
  public Setting<?> setting() {
    return setting;
  }

  /** Returns the message without the key. */
  public String what() {
    return what;
  }
}
