package io.sluice.gateway.revocation;

import java.util.List;

/** Message about revocations between two nodes. Immutable, for any thread. */
sealed interface RevocationMessage {
  /**
   * Command of an operator, sent to all nodes at once.
   *
   * @param revocation a new revocation, or a removed one
   */
  record Order(Revocation revocation) implements RevocationMessage {}

  /**
   * Hash of the sender's set.
   *
   * @param total 0 for the empty set
   */
  record Digest(long total) implements RevocationMessage {}

  /**
   * Request for the receiver's revocations in parts that differ from those of the sender.
   *
   * @param from first part that is requested
   * @param hashes the sender's hashes of all parts
   */
  record Request(int from, long[] hashes) implements RevocationMessage {}

  /**
   * Piece of the reply to a request.
   *
   * @param next part that the next request begins with; {@link #MORE} if another piece follows, the
   *     number of parts if the reply is complete
   */
  record Entries(int next, List<Revocation> revocations) implements RevocationMessage {
    /** Another piece of the same reply follows. */
    static final int MORE = -1;
  }
}
