package io.sluice.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;

/**
 * Pair of Artemis brokers with a shared journal: failover to the backup when the primary ends, and
 * failback when it returns. Bound to the test's thread.
 */
public final class ArtemisPair implements AutoCloseable {
  private static final String HOST = "127.0.0.1";

  private final String folder;
  private final int primaryPort;
  private final int backupPort;
  private final BrokerJvm backup;
  private BrokerJvm primary;

  private ArtemisPair(Path folder) throws IOException {
    this.folder = folder.toString();
    try (ServerSocket one = any();
        ServerSocket other = any()) {
      primaryPort = one.getLocalPort();
      backupPort = other.getLocalPort();
    }
    startPrimary();
    backup = start("backup", backupPort);
  }

  private static ServerSocket any() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getByName(HOST));
  }

  /** Starts both brokers on free ports; the primary is active. */
  public static ArtemisPair start(Path folder) throws IOException {
    return new ArtemisPair(folder);
  }

  private BrokerJvm start(String which, int port) {
    int peer = primaryPort + backupPort - port;
    return BrokerJvm.artemis(
        "--port", "" + port, "--peer", "" + peer, "--data", folder, "--pair", which);
  }

  /** Starts or restarts the primary, and returns when it is active. */
  public void startPrimary() {
    primary = start("primary", primaryPort);
  }

  /** Kills the primary. */
  public void killPrimary() {
    primary.kill();
  }

  /** Stops the primary gracefully. */
  public void stopPrimary() {
    primary.stop();
  }

  /** Returns the URL with both brokers, for a client with failover. */
  public String url() {
    return "(tcp://" + HOST + ":" + primaryPort + ",tcp://" + HOST + ":" + backupPort + ")";
  }

  @Override
  public void close() {
    backup.kill();
    primary.kill();
  }
}
