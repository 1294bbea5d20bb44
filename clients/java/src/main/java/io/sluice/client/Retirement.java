package io.sluice.client;

/**
 * Connection that the client has left in a move. It is closed when its calls are answered and its
 * messages are settled. Tasks of the dispatcher use it.
 */
final class Retirement {
  /** A message that was sent before the consumers were paused arrives in this time. */
  private static final long POLL_MS = 100;

  /** Default time after which a node takes back messages that are not settled. */
  private static final long MAX_MS = 300_000;

  private final SluiceClient client;
  private final Connector connector;
  private final Connection connection;
  private final long start = System.nanoTime();
  private boolean wasIdle;

  Retirement(SluiceClient client, Connector connector, Connection connection) {
    this.client = client;
    this.connector = connector;
    this.connection = connection;
    wasIdle = !client.dispatcher().consumers().isAttached(connection);
  }

  void poll() {
    Consumers consumers = client.dispatcher().consumers();
    boolean isIdle = connection.isIdle() && consumers.pending(connection) == 0;
    boolean isLate = System.nanoTime() - start > MAX_MS * 1_000_000;
    if ((isIdle && wasIdle) || isLate || connection.isEnded()) {
      connection.close();
      connector.onRetired(connection);
      consumers.onEnd(connection);
      return;
    }
    wasIdle = isIdle;
    client.after(POLL_MS, () -> client.dispatcher().execute(this::poll));
  }
}
