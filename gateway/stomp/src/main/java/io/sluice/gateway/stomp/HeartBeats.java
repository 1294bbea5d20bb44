package io.sluice.gateway.stomp;

import io.sluice.gateway.session.ProtocolContext;
import java.util.ArrayList;
import java.util.List;

/**
 * Timer of the heart-beats of all clients of one event loop, which costs a client no memory. Bound
 * to that loop.
 */
final class HeartBeats {
  /** Interval of ticks. */
  static final long TICK_MS = 1_000;

  private final ProtocolContext loop;
  private final List<StompClient> clients = new ArrayList<>();
  private int tick;
  private boolean isTicking;

  HeartBeats(ProtocolContext loop) {
    this.loop = loop;
  }

  /** Returns the number of ticks so far. It stops while the process does. */
  int tick() {
    return tick;
  }

  /** Adds a client and returns its index. */
  int add(StompClient client) {
    clients.add(client);
    if (!isTicking) {
      isTicking = true;
      loop.executeLater(this::onTick, TICK_MS);
    }
    return clients.size() - 1;
  }

  /** Removes the client at an index; the last client moves there. */
  void remove(int index) {
    StompClient last = clients.remove(clients.size() - 1);
    if (index < clients.size()) {
      clients.set(index, last);
      last.heartBeatIndex(index);
    }
  }

  private void onTick() {
    tick++;
    for (int i = clients.size() - 1; i >= 0; i--) { // a client may be removed
      clients.get(i).onTick(tick);
    }
    isTicking = !clients.isEmpty();
    if (isTicking) {
      loop.executeLater(this::onTick, TICK_MS);
    }
  }
}
