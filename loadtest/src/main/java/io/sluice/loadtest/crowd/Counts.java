package io.sluice.loadtest.crowd;

/**
 * How a crowd stands, and what has come since its start. Immutable, for any thread.
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
record Counts(
    int open,
    int subscribed,
    long frames,
    long bytes,
    long refused,
    long gaps,
    long failed,
    long closed) {
  static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0, 0);

  Counts plus(Counts other) {
    return new Counts(
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
