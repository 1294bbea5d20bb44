package io.sluice.client;

import io.sluice.client.internal.BadFrameException;
import io.sluice.client.internal.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Second connection of a client during a move. It requests all subscriptions by position, and keeps
 * the received frames until the client adopts it. Until then they have no effect. Except for the
 * events, tasks of the dispatcher use it.
 */
final class Candidate implements Connection.Events {
  /** Kept frames at which the client adopts the connection without waiting longer. */
  private static final int MAX_KEPT = 10_000;

  final Connection connection;
  private final SluiceClient client;
  private final Connector connector;
  private final Move move;
  private final boolean isRedirected;
  private final MoveRequests requests;
  private final List<Frame> kept = new ArrayList<>();
  private boolean isAdopted;

  Candidate(SluiceClient client, Connector connector, Move move, String url, boolean isRedirected) {
    this.client = client;
    this.connector = connector;
    this.move = move;
    this.isRedirected = isRedirected;
    connection = connector.create(url, this);
    requests = new MoveRequests(client, connection);
  }

  @Override
  public void onSocket(Connection opened) {
    connector.sendConnect(opened, isRedirected);
  }

  @Override
  public void onFrame(Connection from, Frame frame) {
    client.dispatcher().enqueue(connection, () -> handle(frame));
  }

  @Override
  public void onEnd(Connection ended, Connection.End end) {
    client
        .dispatcher()
        .execute(
            () -> {
              if (isAdopted) {
                connector.onEnd(connection, end);
              } else {
                move.onCandidateEnd(this, end);
              }
            });
  }

  private void handle(Frame frame) {
    try {
      if (isAdopted) {
        connector.deliver(connection, frame);
      } else if (!connection.isEnded()) {
        keep(frame);
      }
    } catch (BadFrameException e) {
      connection.fail(e.getMessage());
    }
  }

  private void keep(Frame frame) {
    switch (frame.type()) {
      case "hello":
        if (connector.accepts(connection)) {
          move.onHello(this);
        }
        return;
      case "redirect":
        if (connection.hello() == null) {
          move.onRedirect(this, frame.text("url"));
          return;
        }
        break;
      case "subscribed":
      case "error":
        if (!requests.onAnswer(frame)) {
          return;
        }
        break;
      default:
    }
    kept.add(frame);
  }

  /** Sends missing requests. Returns whether the node has answered all of them. */
  boolean update() {
    return connection.hello() != null && requests.update();
  }

  /** Returns whether the move to this node is useless: it is the node that the client leaves. */
  boolean isSameNode() {
    return requests.isSameNode();
  }

  /** Returns whether the node serves less than the one that the client need not leave. */
  boolean isWorse() {
    return connection.isStale() || requests.isRefused();
  }

  boolean isFull() {
    return kept.size() >= MAX_KEPT;
  }

  /** Makes this the client's connection; requires that no frame is handled in between. */
  void adopt() {
    isAdopted = true;
    Map<Long, Subscription> refs = requests.take();
    connection.setEvents(connector);
    client.dispatcher().onMove(connection, refs);
    try {
      for (Frame frame : kept) {
        if (!requests.isWithdrawn(frame)) {
          connector.deliver(connection, frame);
        }
      }
    } catch (BadFrameException e) {
      connection.fail(e.getMessage());
    }
    kept.clear();
  }

  void discard() {
    connection.close();
    kept.clear();
  }
}
