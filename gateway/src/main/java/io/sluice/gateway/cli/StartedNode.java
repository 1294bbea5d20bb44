package io.sluice.gateway.cli;

import io.sluice.gateway.Gateway;
import io.sluice.gateway.StartFailure;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.http.Pages;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Running gateway, as used by the command line. For any thread. Only this type depends on {@link
 * Gateway}.
 */
interface StartedNode {
  /** Returns the port for clients. */
  int port();

  /** Returns the admin port. */
  int adminPort();

  /** Returns the bytes of messages to clients with permessage-deflate, before compression. */
  long bytesBeforeCompression();

  /** Returns the bytes of these messages after compression. */
  long bytesAfterCompression();

  /**
   * Enables reloads of the configuration.
   *
   * @param file reads the file, with the options that override it
   * @param logLevels applies changed log levels of a configuration
   */
  void reloadFrom(Supplier<ConfigDraft> file, Consumer<Config> logLevels);

  /** Reloads the configuration file, and logs the outcome. */
  void reload();

  /** Drains and stops the node; blocks. */
  void drainAndStop();

  /** Stops the node at once; clients lose their connection. */
  void kill();

  /** Factory of nodes, replaced in tests. */
  interface Starter {
    /**
     * Starts a node and returns when it listens.
     *
     * @param pages pages that the node serves
     */
    StartedNode start(Config config, Pages pages) throws Exception;
  }

  /** Starts a {@link Gateway}. */
  static StartedNode startGateway(Config config, Pages pages) {
    Gateway gateway = open(config, pages);
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
      public long bytesBeforeCompression() {
        return gateway.bytesBeforeCompression();
      }

      @Override
      public long bytesAfterCompression() {
        return gateway.bytesAfterCompression();
      }

      @Override
      public void reloadFrom(Supplier<ConfigDraft> file, Consumer<Config> logLevels) {
        gateway.reloadFrom(file, logLevels);
      }

      @Override
      public void reload() {
        gateway.reload();
      }

      @Override
      public void drainAndStop() {
        gateway.drainAndStop();
      }

      @Override
      public void kill() {
        gateway.close();
      }
    };
  }

  private static Gateway open(Config config, Pages pages) {
    try {
      return Gateway.start(config, pages);
    } catch (StartFailure e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }
}
