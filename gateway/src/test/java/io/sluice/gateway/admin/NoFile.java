package io.sluice.gateway.admin;

import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.query.ReloadOutcome;

/** Node that was started without a configuration file. */
final class NoFile implements ConfigReload {
  @Override
  public ReloadOutcome.Preview preview() {
    return null;
  }

  @Override
  public ReloadOutcome reload(Operator by) {
    return null;
  }
}
