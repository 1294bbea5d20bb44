package io.sluice.loadtest.load;

/** Counters of the clients of one event loop. Bound to that loop. */
final class Counters {
  long frames;
  long bytes;
  long refused;
  long gaps;
  long failed;
  long closed;
  private final int[] clients = new int[ClientState.values().length];

  /** Counts a change of state. */
  void move(ClientState from, ClientState to) {
    clients[from.ordinal()]--;
    clients[to.ordinal()]++;
  }

  int subscribed() {
    return in(ClientState.SUBSCRIBED);
  }

  /** Returns the number of clients with a connection attempt in progress. */
  int underWay() {
    return in(ClientState.CONNECTING) + in(ClientState.OPENING) + in(ClientState.OPEN);
  }

  Snapshot counts() {
    int open = in(ClientState.OPEN) + subscribed();
    return new Snapshot(open, subscribed(), frames, bytes, refused, gaps, failed, closed);
  }

  private int in(ClientState state) {
    return clients[state.ordinal()];
  }

  /**
   * Values of the counters at one moment, since the start. Immutable.
   *
   * @param open WebSockets that are open now
   * @param subscribed those of them whose subscription stands
   * @param frames messages
   * @param bytes payload of all data frames
   * @param refused subscriptions that the gateway refused or ended, and its other errors
   * @param gaps gaps that it told
   * @param failed connections that came to nothing, or that broke the protocol
   * @param closed open WebSockets that the other side ended
   */
  record Snapshot(
      int open,
      int subscribed,
      long frames,
      long bytes,
      long refused,
      long gaps,
      long failed,
      long closed) {
    static final Snapshot NONE = new Snapshot(0, 0, 0, 0, 0, 0, 0, 0);

    Snapshot plus(Snapshot other) {
      return new Snapshot(
          open + other.open,
          subscribed + other.subscribed,
          frames + other.frames,
          bytes + other.bytes,
          refused + other.refused,
          gaps + other.gaps,
          failed + other.failed,
          closed + other.closed);
    }
  }
}
