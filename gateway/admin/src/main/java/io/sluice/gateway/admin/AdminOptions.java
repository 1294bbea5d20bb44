package io.sluice.gateway.admin;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.tls.KeyPairOptions;
import java.time.Duration;

/**
 * Options of the admin port. Immutable, for any thread.
 *
 * @param host address of the port
 * @param console whether the port serves the console
 * @param metricsOpen whether metrics require no token
 * @param token token of operators; may be empty
 * @param tokenFile name of the file of tokens; may be empty
 * @param tls files of the port's certificate and key; without names if the port has no TLS
 * @param handshake timeout of a TLS handshake
 * @param connections maximum number of connections
 * @param idle timeout of connections without a request
 */
public record AdminOptions(
    String host,
    int port,
    boolean console,
    boolean metricsOpen,
    String token,
    String tokenFile,
    KeyPairOptions tls,
    Duration handshake,
    int connections,
    Duration idle) {

  /** Returns a text without the token. */
  @Override
  public String toString() {
    return "AdminOptions[" + host + ":" + port + "]";
  }

  /** Returns the options of a configuration; values may be invalid. */
  public static AdminOptions of(Config config) {
    return new AdminOptions(
        config.get(AdminSettings.HOST),
        config.get(AdminSettings.PORT),
        config.get(AdminSettings.CONSOLE),
        config.get(AdminSettings.METRICS_OPEN),
        config.get(AdminSettings.TOKEN),
        config.get(AdminSettings.TOKEN_FILE),
        KeyPairOptions.ofAdmin(config),
        config.get(TimeoutSettings.HANDSHAKE),
        config.get(LimitSettings.ADMIN_CONNECTIONS),
        config.get(TimeoutSettings.ADMIN_IDLE));
  }
}
