package io.sluice.gateway.cli;

import io.sluice.gateway.Gateway;
import io.sluice.gateway.StartFailure;
import io.sluice.gateway.config.Config;

/**
 * The running gateway as the command line sees it: the one place that touches its class. For any
 * thread.
 */
interface StartedNode {
  /** Where clients connect. */
  int port();

  /** Where operators look. */
  int adminPort();

  /** Sends the clients away and stops; blocks. */
  void drainAndStop();

  /** Starts nodes; the tests have one of their own. */
  interface Starter {
    /**
     * Returns once the node listens.
     *
     * @param demoPage whether to serve the page of the demo at /
     */
    StartedNode start(Config config, boolean demoPage) throws Exception;
  }

  /** Starts the real thing. */
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
