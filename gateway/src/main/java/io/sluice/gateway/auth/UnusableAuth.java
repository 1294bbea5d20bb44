package io.sluice.gateway.auth;

import io.sluice.gateway.config.Setting;

/** A node can't check credentials as it is configured to; the message names the setting. */
public final class UnusableAuth extends Exception {
  private static final long serialVersionUID = 1;

  public UnusableAuth(Setting<?> setting, String what, Throwable cause) {
    super(setting.key() + " " + what, cause);
  }
}
