package io.sluice.gateway.admin;

import io.sluice.gateway.audit.Operator;

/** Node that was started without a configuration file. */
final class NoFile implements ConfigReload {
  @Override
  public Preview preview() {
    return null;
  }

  @Override
  public Outcome reload(Operator by) {
    return null;
  }
}
