package io.sluice.client;

import java.util.ArrayList;
import java.util.List;

/**
 * Make-before-break move of a client to another node: PROTOCOL.md, section 4. A second connection
 * requests all subscriptions while the first one continues. The client adopts it when the other
 * node has answered all of them, and this one all publishes. A failed attempt has no effect on the
 * first connection. Except for the creation, tasks of the dispatcher use it.
 */
final class Move {
  /** Time in which the other node must answer all subscriptions. */
  private static final long ANSWERS_MS = 15_000;

  private static final long POLL_MS = 20;
  private static final long MAX_PAUSE_MS = 200;

  private final SluiceClient client;
  private final Connector connector;
  private final Connection from;

  /** End of the first connection in nanoseconds; null if the client may stay. */
  private final Long deadline;

  private final List<String> urls = new ArrayList<>();
  private String target;

  /** Set if a node has named the address. */
  private boolean isRedirected;

  private int attempts;
  private int failures;
  private Candidate candidate;
  private boolean isEnded;

  /**
   * Creates a move.
   *
   * @param target address that the node has named; null without one
   * @param leftMs time until the node closes the connection; null if the client may stay
   */
  Move(SluiceClient client, Connector connector, Connection from, String target, Long leftMs) {
    this.client = client;
    this.connector = connector;
    this.from = from;
    this.target = target;
    urls.addAll(connector.settings().urls());
    deadline = leftMs == null ? null : System.nanoTime() + leftMs * 1_000_000;
  }

  /** Returns whether the client must leave the node. */
  boolean hasDeadline() {
    return deadline != null;
  }

  /** Sets the address of the next attempt. */
  void setTarget(String url) {
    target = url;
  }

  void start() {
    if (deadline != null) {
      after(leftMs(), () -> connector.onDeadline(from));
    }
    attempt();
  }

  private long leftMs() {
    return Math.max(0, (deadline - System.nanoTime()) / 1_000_000);
  }

  private void after(long ms, Runnable task) {
    client.after(
        ms,
        () ->
            client
                .dispatcher()
                .execute(
                    () -> {
                      if (!isEnded) {
                        task.run();
                      }
                    }));
  }

  private void attempt() {
    String url = nextUrl();
    if (target == null) {
      attempts++;
    } else {
      isRedirected = true;
    }
    target = null;
    dial(url);
  }

  private String nextUrl() {
    return target == null ? urls.get(attempts % urls.size()) : target;
  }

  private void dial(String url) {
    Candidate dialled = new Candidate(client, connector, this, url, isRedirected);
    candidate = dialled;
    connector.open(dialled.connection);
    limit(dialled, connector.settings().connectTimeout().toMillis(), "no hello");
  }

  /** Ends an attempt that does not make progress in time. */
  private void limit(Candidate one, long ms, String reason) {
    boolean hadHello = one.connection.hello() != null;
    after(
        ms,
        () -> {
          boolean hasHello = one.connection.hello() != null;
          if (candidate == one && hadHello == hasHello) {
            one.connection.fail(reason);
          }
        });
  }

  void onHello(Candidate one) {
    limit(one, ANSWERS_MS, "subscriptions are not answered");
    poll(one);
  }

  /** Follows one redirect of the other node. */
  void onRedirect(Candidate one, String url) {
    if (isRedirected || isEnded) {
      return;
    }
    isRedirected = true;
    if (connector.mayFollow(one.connection.url, url)) {
      one.discard();
      dial(url);
    }
  }

  void onCandidateEnd(Candidate one, Connection.End end) {
    if (one == candidate && !isEnded) {
      fail(one.connection.url.equals(nextUrl()) ? end.retryAfterMs() : 0);
    }
  }

  private void poll(Candidate one) {
    if (one != candidate || isEnded || one.connection.isEnded()) {
      return;
    }
    boolean isReady = one.update();
    if (one.isSameNode() || (deadline == null && one.isWorse())) {
      fail(0);
      return;
    }
    if (isReady || one.isFull()) {
      pausePublishes();
    } else {
      client.publishes().resume(from);
    }
    if ((isReady || one.isFull()) && client.publishes().isSettled(from)) {
      adopt();
    } else if (one.isFull()) {
      fail(0);
    } else {
      after(POLL_MS, () -> poll(one));
    }
  }

  /** Pauses publishes for a limited time: a listener that waits for one holds up this move. */
  private void pausePublishes() {
    if (client.publishes().pause(from)) {
      client.after(MAX_PAUSE_MS, () -> client.publishes().resume(from));
    }
  }

  private boolean adopt() {
    isEnded = true;
    Candidate adopted = candidate;
    candidate = null;
    return connector.adopt(from, adopted);
  }

  private void fail(long retryAfterMs) {
    Candidate failed = candidate;
    candidate = null;
    failed.discard();
    client.publishes().resume(from);
    if (deadline == null) {
      stop();
      connector.onStay(from);
      return;
    }
    failures++;
    // Half of the remaining time: the node that sent the Retry-After may be the only one.
    long waitMs = client.backoffMs(failures) + Math.min(retryAfterMs, leftMs() / 2);
    after(waitMs, this::attempt);
  }

  /** Returns whether the client has adopted the other connection at the end of this one. */
  boolean onConnectionEnd() {
    Candidate other = candidate;
    boolean isUsable =
        other != null
            && other.connection.hello() != null
            && !other.connection.isEnded()
            && !other.isSameNode();
    if (isUsable && !isEnded) {
      return adopt();
    }
    stop();
    return false;
  }

  /** Ends the move; the client stays. */
  void stop() {
    isEnded = true;
    if (candidate != null) {
      candidate.discard();
    }
  }
}
