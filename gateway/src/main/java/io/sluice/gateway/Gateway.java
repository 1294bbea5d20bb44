package io.sluice.gateway;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Stands in for the gateway until it is merged. */
public final class Gateway implements AutoCloseable {
  private final ServerSocket server;
  private final ServerSocket admin;

  private Gateway(ServerSocket server, ServerSocket admin) {
    this.server = server;
    this.admin = admin;
  }

  /** Takes the two ports. */
  public static Gateway start(Config config, boolean demoPage) throws IOException {
    return new Gateway(
        open(config.get(Settings.SERVER_HOST), config.get(Settings.SERVER_PORT)),
        open(config.get(Settings.ADMIN_HOST), config.get(Settings.ADMIN_PORT)));
  }

  private static ServerSocket open(String host, int port) throws IOException {
    return new ServerSocket(port, 50, InetAddress.getByName(host));
  }

  /** Port for clients. */
  public int port() {
    return server.getLocalPort();
  }

  /** Port for operators. */
  public int adminPort() {
    return admin.getLocalPort();
  }

  /** Stops. */
  public void drainAndStop() {
    close();
  }

  @Override
  public void close() {
    try {
      server.close();
      admin.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
