package io.sluice.gateway.config;

/**
 * A token of the configuration can't be used; the message is for the operator and holds no token.
 */
public final class UnusableToken extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Setting<?> setting;
  private final String what;

  UnusableToken(Setting<?> setting, String what) {
    super(setting.key() + ": " + what);
    this.setting = setting;
    this.what = what;
  }

  /** The key at which the problem is told. */
  Setting<?> setting() {
    return setting;
  }

  /** The message without the key. */
  String what() {
    return what;
  }
}
