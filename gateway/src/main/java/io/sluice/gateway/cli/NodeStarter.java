package io.sluice.gateway.cli;

import io.sluice.gateway.Gateway;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.http.Pages;
import io.sluice.gateway.node.StartFailure;

/** Factory of nodes, replaced in tests. */
interface NodeStarter {
  /**
   * Starts a node and returns when it listens.
   *
   * @param pages pages that the node serves
   */
  Gateway start(Config config, Pages pages) throws Exception;

  /** Starts a {@link Gateway}; reports a failure to the user. */
  static Gateway startGateway(Config config, Pages pages) {
    try {
      return Gateway.start(config, pages);
    } catch (StartFailure e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }
}
