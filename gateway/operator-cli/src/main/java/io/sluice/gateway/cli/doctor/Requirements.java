package io.sluice.gateway.cli.doctor;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.node.ShortHistory;
import java.time.Duration;

/**
 * Resources that a node requires for its clients, as in docs/operations/sizing.md. Immutable, for
 * any thread.
 *
 * @param clients number of clients
 * @param rate messages per second of the busiest topic or pattern; 0: unknown
 * @param config configuration of the node
 */
public record Requirements(int clients, double rate, Config config) {
  /** Assumed size of a memory page, in bytes; buffers have more room if the pages are larger. */
  static final long PAGE = 4096;

  private static final int OTHER_DESCRIPTORS = 1_000;
  private static final int MAX_BACKLOG = 65_535;
  private static final int MIN_BACKLOG = 4_096;

  /** Fraction of clients that reconnect at the same time, as a divisor. */
  private static final int RECONNECT_DIVISOR = 16;

  /** Fraction of clients that read slowly or exceed their rate limit, as a divisor. */
  private static final int SLOW_DIVISOR = 100;

  /** Memory of the node without its logs; measured: 200 MB. */
  private static final long NODE_BYTES = 256L * 1024 * 1024;

  /** Memory per client; measured: 0.5 KB of heap, up to 1.2 KB in total. Doubled as a margin. */
  private static final long CLIENT_BYTES = 2_400;

  private static final long CLIENT_HEAP_BYTES = 600;
  private static final long NODE_HEAP_BYTES = 64L * 1024 * 1024;

  /** Kernel memory per socket. */
  private static final long SOCKET_BYTES = 5 * 1024;

  int limitOfConnections() {
    return config.get(LimitSettings.CONNECTIONS);
  }

  long descriptors() {
    return (long) clients + OTHER_DESCRIPTORS;
  }

  /** Returns the required accept backlog. */
  long backlog() {
    int returning = Math.min(MAX_BACKLOG, clients / RECONNECT_DIVISOR);
    return Math.max(returning, MIN_BACKLOG);
  }

  /** Returns the number of connections that the firewall tracks, including some closed ones. */
  long tracked() {
    return clients + clients / 2L;
  }

  /** Returns the pages of socket buffers, one per client. */
  long bufferPages() {
    return clients;
  }

  long slowClients() {
    return Math.max(1, clients / SLOW_DIVISOR);
  }

  /** Returns how long a client can lag or be disconnected until it resumes. */
  Duration absence() {
    return ShortHistory.absence(config);
  }

  long heapBytes() {
    return NODE_HEAP_BYTES + config.get(HistorySettings.MEMORY) + clients * CLIENT_HEAP_BYTES;
  }

  /** Returns the memory of the process and of its sockets, while most clients read in time. */
  long memoryBytes() {
    return NODE_BYTES
        + config.get(HistorySettings.MEMORY)
        + clients * (CLIENT_BYTES + SOCKET_BYTES);
  }

  boolean isEncrypted() {
    return !config.get(ServerSettings.TLS_CERTIFICATE).isEmpty();
  }
}
