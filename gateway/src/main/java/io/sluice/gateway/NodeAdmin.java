package io.sluice.gateway;

import io.sluice.gateway.auth.Access;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.drain.ClusterMember;
import io.sluice.gateway.http.ClientPorts;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.node.Opened;
import io.sluice.gateway.node.StartFailure;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/** Admin port of a node, whose module may be missing. For any thread. */
interface NodeAdmin {
  /** Node without the module: it has no admin port. */
  NodeAdmin ABSENT = new NodeAdmin() {};

  /**
   * Parts of the node that the admin port shows or changes.
   *
   * @param notReady reasons why the node is not ready, empty if it is
   * @param drain starts a drain; returns whether none had started before
   * @param undrain ends a drain; returns false if the node is stopping
   */
  record Parts(
      Config config,
      String name,
      Exposition exposition,
      GatewayMetrics metrics,
      Access access,
      Hub hub,
      ClientPorts clients,
      LinkModule links,
      NodePresence presence,
      ClusterMember member,
      Reloads reloads,
      Supplier<List<String>> notReady,
      BooleanSupplier drain,
      BooleanSupplier undrain) {}

  /** Starts to listen. */
  default Future<Void> start() {
    LoggerFactory.getLogger(NodeAdmin.class)
        .atInfo()
        .addKeyValue("archive", "sluice-admin-*.jar")
        .log("admin.absent");
    return Future.succeededFuture();
  }

  /** Returns the port; 0 without one. */
  default int port() {
    return 0;
  }

  /** Returns the address of the console; {@code off} if there is none. */
  default String console() {
    return "off";
  }

  /** Returns the number of failed requests to the issuer of operators so far. */
  default long issuerFailures() {
    return 0;
  }

  /**
   * Enables pages about the configuration file.
   *
   * @param file reads the file, with the options that override it
   */
  default void reloadFrom(Supplier<ConfigDraft> file) {}

  /**
   * Shows the configuration of a reload.
   *
   * @param next the effective values
   */
  default void onReloading(Config next) {}

  /**
   * Applies a reload.
   *
   * @param logLevels applies changed log levels
   */
  default void onReloaded(ConfigChange change, Runnable logLevels) {
    if (change.changesLogLevels()) {
      logLevels.run();
    }
  }

  /** Stops to listen and closes all connections. */
  default Future<Void> close() {
    return Future.succeededFuture();
  }

  /**
   * Creates the admin port of a node, which is not started.
   *
   * @param opened receives what has to be closed if the start fails
   * @throws StartFailure if a file of the configuration is unusable
   */
  static NodeAdmin of(Parts parts, Opened opened) throws StartFailure {
    return StartCheck.hasAdminPort() ? AdminModule.create(parts, opened) : ABSENT;
  }
}
