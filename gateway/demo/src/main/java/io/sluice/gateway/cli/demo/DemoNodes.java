package io.sluice.gateway.cli.demo;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.http.PageActions;
import io.sluice.gateway.node.RunningNode;

/** Factory of the demo's nodes. */
@FunctionalInterface
public interface DemoNodes {
  /**
   * Starts a node with the demo's page and returns when it listens.
   *
   * @param faults actions that the page requests
   */
  RunningNode start(Config config, PageActions faults) throws Exception;
}
