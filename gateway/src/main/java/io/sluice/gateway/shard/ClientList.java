package io.sluice.gateway.shard;

import java.util.Arrays;

/**
 * The clients of one event loop, and how many of them have yet to be notified of the broker's
 * state. Bound to the loop; works like {@link SubscriptionList}.
 */
final class ClientList {
  private Subscriber[] clients = new Subscriber[16];
  private int size;
  private int untold;

  void add(Subscriber client) {
    if (size == clients.length) {
      clients = Arrays.copyOf(clients, size + (size >> 1));
    }
    place(client, size++);
  }

  void remove(Subscriber client) {
    int hole = client.slot();
    if (hole < untold) {
      untold--;
      place(clients[untold], hole);
      hole = untold;
    }
    place(clients[--size], hole);
    clients[size] = null;
  }

  private void place(Subscriber client, int slot) {
    clients[slot] = client;
    client.slot(slot);
  }

  /** Begins a notice for all that are here now. */
  void tellAll() {
    untold = size;
  }

  boolean isTold() {
    return untold == 0;
  }

  /** The next one that the notice is for. */
  Subscriber nextUntold() {
    return clients[--untold];
  }
}
