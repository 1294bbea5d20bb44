package io.sluice.gateway.sim;

/** Rules of docs/PROTOCOL.md, section 8, that a client or an operator can break. */
enum Rule {
  /** A client remembers the identities of its latest messages and drops what it has. */
  REMEMBERS_IDENTITIES,
  /** Its offset goes with the epoch of the same answer. */
  OFFSET_OF_THE_EPOCH,
  /** A gap moves its offset. */
  GAP_MOVES_OFFSET,
  /** A gap moves the time before which it wants nothing. */
  GAP_MOVES_SINCE,
  /** Within a replay it stands where the replay does, not at the end of it. */
  REPLAY_MOVES_OFFSET,
  /** It leaves its time out when it no longer remembers what came since. */
  TIME_IS_REMEMBERED,
  /** It tells the application when not all was recovered. */
  TELLS_UNRECOVERED,
  /** The operator's {@code resume.spread} covers what two nodes see in different orders. */
  SPREAD_COVERS_REORDERING,
  /** The operator's {@code resume.margin} covers how much the clocks differ. */
  MARGIN_COVERS_CLOCKS,
  /** A proof of delivery excludes topics that lag behind the canary. */
  PROOF_PER_INTEREST,
  /** A proof waits for a second canary, within which a topic that lags shows itself. */
  PROOF_OF_TWO_CANARIES,
  /** A connection stays congested for a while, in which a topic that lags may show nothing. */
  CONGESTION_HOLDS
}
