package io.sluice.loadtest.crowd;

/** What the clients of one event loop count. Bound to that loop. */
final class Counters {
  long frames;
  long bytes;
  long refused;
  long gaps;
  long failed;
  long closed;
  private final int[] clients = new int[ClientState.values().length];

  /** A client is now in another state. */
  void move(ClientState from, ClientState to) {
    clients[from.ordinal()]--;
    clients[to.ordinal()]++;
  }

  int subscribed() {
    return in(ClientState.SUBSCRIBED);
  }

  /** Clients that are on their way to being subscribed. */
  int underWay() {
    return in(ClientState.CONNECTING) + in(ClientState.OPENING) + in(ClientState.OPEN);
  }

  Counts counts() {
    int open = in(ClientState.OPEN) + subscribed();
    return new Counts(open, subscribed(), frames, bytes, refused, gaps, failed, closed);
  }

  private int in(ClientState state) {
    return clients[state.ordinal()];
  }
}
