package io.sluice.gateway.broker;

/**
 * Requests whose replies arrive on the node's reply queue. Any thread; no method blocks.
 *
 * <p>The connection of the reply queue is separate. It is opened for the first request, and its
 * loss affects requests only.
 */
public interface Requests {
  /** A request that has been accepted. Any thread. */
  interface Request {
    /** Removes the request. Its listener is not notified any more. A reply counts as late. */
    void cancel();
  }

  /**
   * Sends a message and waits for one reply.
   *
   * @param timeoutMs time limit of the reply from now on, in milliseconds
   * @return null if the listener has been notified of a refusal
   */
  Request request(Publication publication, long timeoutMs, ReplyListener listener);
}
