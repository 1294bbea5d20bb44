package io.sluice.gateway.shard;

import java.util.Arrays;

/**
 * Clients of one event loop. During a notice of the broker's state, those that have not received it
 * precede the others, as in {@link SubscriptionList}. The array shrinks after most clients have
 * left. Bound to the event loop.
 */
final class ClientList {
  private static final int MIN_CAPACITY = 16;

  private Subscriber[] clients = new Subscriber[MIN_CAPACITY];
  private int size;
  private int unnotified;

  void add(Subscriber client) {
    if (size == clients.length) {
      clients = Arrays.copyOf(clients, size + (size >> 1));
    }
    place(client, size++);
  }

  void remove(Subscriber client) {
    int hole = client.slot();
    if (hole < unnotified) {
      unnotified--;
      place(clients[unnotified], hole);
      hole = unnotified;
    }
    place(clients[--size], hole);
    clients[size] = null;
    if (size < clients.length / 4 && clients.length > MIN_CAPACITY) {
      clients = Arrays.copyOf(clients, clients.length / 2);
    }
  }

  private void place(Subscriber client, int slot) {
    clients[slot] = client;
    client.slot(slot);
  }

  /** Begins a notice to all current clients. */
  void beginNotice() {
    unnotified = size;
  }

  /** Returns whether all clients have been notified. */
  boolean isNoticeComplete() {
    return unnotified == 0;
  }

  /** Returns the next client to notify. */
  Subscriber nextToNotify() {
    return clients[--unnotified];
  }
}
