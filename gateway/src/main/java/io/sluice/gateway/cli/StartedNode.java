package io.sluice.gateway.cli;

import io.sluice.gateway.Gateway;
import io.sluice.gateway.StartFailure;
import io.sluice.gateway.config.Config;

/**
 * Running gateway, as used by the command line. For any thread. Only this type depends on {@link
 * Gateway}.
 */
interface StartedNode {
  /** Returns the port for clients. */
  int port();

  /** Returns the admin port. */
  int adminPort();

  /** Drains and stops the node; blocks. */
  void drainAndStop();

  /** Factory of nodes, replaced in tests. */
  interface Starter {
    /**
     * Starts a node and returns when it listens.
     *
     * @param demoPage whether to serve the demo page at /
     */
    StartedNode start(Config config, boolean demoPage) throws Exception;
  }

  /** Starts a {@link Gateway}. */
  static StartedNode startGateway(Config config, boolean demoPage) {
    Gateway gateway = open(config, demoPage);
    return new StartedNode() {
      @Override
      public int port() {
        return gateway.port();
      }

      @Override
      public int adminPort() {
        return gateway.adminPort();
      }

      @Override
      public void drainAndStop() {
        gateway.drainAndStop();
      }
    };
  }

  private static Gateway open(Config config, boolean demoPage) {
    try {
      return Gateway.start(config, demoPage);
    } catch (StartFailure e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }
}
