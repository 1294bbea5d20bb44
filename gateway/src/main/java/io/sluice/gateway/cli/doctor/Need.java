package io.sluice.gateway.cli.doctor;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;

/**
 * What a node needs for its clients, by docs/operations/sizing.md. Immutable, for any thread.
 *
 * @param config of the node
 */
public record Need(int clients, Config config) {
  /** A page of the kernel's memory. */
  static final long PAGE = 4096;

  private static final int OTHER_DESCRIPTORS = 1_000;
  private static final int LARGEST_BACKLOG = 65_535;
  private static final int LEAST_BACKLOG = 4_096;

  /** Of all clients, the part that comes back in the same moment. */
  private static final int RETURN_PART = 16;

  /** Of all clients, the part that reads slowly, or sends more than it may. */
  private static final int SLOW_PART = 100;

  /** Of the node itself, beside its logs: measured are 200 MB. */
  private static final long NODE_BYTES = 256L * 1024 * 1024;

  /** Of a client: measured are 0.5 KB of heap, up to 1.2 KB of all; twice that for the rest. */
  private static final long CLIENT_BYTES = 2_400;

  private static final long CLIENT_HEAP_BYTES = 600;
  private static final long NODE_HEAP_BYTES = 64L * 1024 * 1024;

  /** Of a socket, in the kernel. */
  private static final long SOCKET_BYTES = 5 * 1024;

  int limitOfConnections() {
    return config.get(LimitSettings.CONNECTIONS);
  }

  long descriptors() {
    return (long) clients + OTHER_DESCRIPTORS;
  }

  /** Connections that may wait to be accepted. */
  long backlog() {
    int returning = Math.min(LARGEST_BACKLOG, clients / RETURN_PART);
    return Math.max(returning, LEAST_BACKLOG);
  }

  /** Connections whose ends the kernel remembers; some of those that have ended are among them. */
  long tracked() {
    return clients + clients / 2L;
  }

  /** Pages of what has been sent or received and not been taken, one a client. */
  long bufferPages() {
    return clients;
  }

  long slowClients() {
    return Math.max(1, clients / SLOW_PART);
  }

  long heapBytes() {
    return NODE_HEAP_BYTES + config.get(HistorySettings.MEMORY) + clients * CLIENT_HEAP_BYTES;
  }

  /** Of the process and of the kernel for it, while most clients read what they get. */
  long memoryBytes() {
    return NODE_BYTES
        + config.get(HistorySettings.MEMORY)
        + clients * (CLIENT_BYTES + SOCKET_BYTES);
  }

  boolean isEncrypted() {
    return !config.get(ServerSettings.TLS_CERTIFICATE).isEmpty();
  }
}
