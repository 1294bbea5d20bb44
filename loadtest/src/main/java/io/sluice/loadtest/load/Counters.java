package io.sluice.loadtest.load;

/** Counters of the clients of one event loop. Bound to that loop. */
final class Counters {
  long frames;
  long bytes;
  long inflatedBytes;
  long verified;
  long wrong;
  long refused;
  long gaps;
  long lost;
  long repeated;
  long failed;
  long closed;
  private final int[] clients = new int[ClientState.values().length];

  /** Counts a change of state. */
  void move(ClientState from, ClientState to) {
    clients[from.ordinal()]--;
    clients[to.ordinal()]++;
  }

  int subscribed() {
    return count(ClientState.SUBSCRIBED);
  }

  /** Returns the number of clients with a pending connection attempt or subscription. */
  int pending() {
    return count(ClientState.CONNECTING) + count(ClientState.OPENING) + count(ClientState.OPEN);
  }

  Snapshot counts() {
    int open = count(ClientState.OPEN) + subscribed();
    return new Snapshot(
        open,
        subscribed(),
        frames,
        bytes,
        refused,
        gaps,
        lost,
        repeated,
        failed,
        closed,
        inflatedBytes,
        verified,
        wrong);
  }

  private int count(ClientState state) {
    return clients[state.ordinal()];
  }

  /**
   * Values of the counters at one moment, since the start. Immutable.
   *
   * @param open WebSockets that are open now
   * @param subscribed open WebSockets with an active subscription
   * @param frames messages
   * @param bytes payload of all data frames
   * @param refused error frames of the gateway, which reject or end subscriptions
   * @param gaps gap frames of the gateway
   * @param lost sequence numbers that were skipped without notice; 0 without a measurement
   * @param repeated sequence numbers that were received again or late
   * @param failed failed connection attempts and protocol violations
   * @param closed WebSockets that the peer closed
   * @param inflatedBytes payload of all data frames after decompression; 0 if it is not requested
   * @param verified decompressed messages with a sequence number of the feed
   * @param wrong those that differ from another client's or are out of sequence
   */
  record Snapshot(
      int open,
      int subscribed,
      long frames,
      long bytes,
      long refused,
      long gaps,
      long lost,
      long repeated,
      long failed,
      long closed,
      long inflatedBytes,
      long verified,
      long wrong) {
    static final Snapshot NONE = new Snapshot(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    Snapshot plus(Snapshot other) {
      return new Snapshot(
          open + other.open,
          subscribed + other.subscribed,
          frames + other.frames,
          bytes + other.bytes,
          refused + other.refused,
          gaps + other.gaps,
          lost + other.lost,
          repeated + other.repeated,
          failed + other.failed,
          closed + other.closed,
          inflatedBytes + other.inflatedBytes,
          verified + other.verified,
          wrong + other.wrong);
    }
  }
}
