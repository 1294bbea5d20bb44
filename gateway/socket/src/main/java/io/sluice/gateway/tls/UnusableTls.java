package io.sluice.gateway.tls;

import io.sluice.gateway.config.Setting;

/** Thrown if the configured TLS cannot be used; the message is for the operator. Immutable. */
public final class UnusableTls extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Setting<?> setting;
  private final String what;

  /**
   * @param setting with the invalid value
   * @param what description of the problem
   */
  public UnusableTls(Setting<?> setting, String what, Throwable cause) {
    super(setting.key() + ": " + what, cause);
    this.setting = setting;
    this.what = what;
  }

  UnusableTls(Setting<?> setting, String what) {
    this(setting, what, null);
  }

  /** Returns the setting with the invalid value. */
  public Setting<?> setting() {
    return setting;
  }

  /** Returns the message without the setting's key. */
  public String what() {
    return what;
  }
}
