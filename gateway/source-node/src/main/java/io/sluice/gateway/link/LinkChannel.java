package io.sluice.gateway.link;

/**
 * Connection of a link. Bound to its event loop, except where a method states otherwise. The
 * simulation has its own.
 */
public interface LinkChannel {
  /** Receiver of the events of a channel. Called on its event loop. */
  interface Listener {
    /** A record arrived. */
    void onRecord(LinkRecord received);

    /** All records of a frame were passed. */
    default void onFrameEnd() {}

    /** The channel accepts records again after {@link LinkChannel#isFull}. */
    default void onRoom() {}

    /** The connection is closed; called once. */
    void onClosed(String why);
  }

  /** Returns the name of the other node in its certificate; empty without TLS. Any thread. */
  String peer();

  /** Returns the URL or address of the other node. Any thread. */
  default String address() {
    return "";
  }

  /** Returns the address of this node on the link; empty if it is unknown. */
  default String localAddress() {
    return "";
  }

  /** Runs a task on the event loop, later. Any thread. */
  void execute(Runnable task);

  /** Runs a task on the event loop after a delay. */
  void later(Runnable task, long delayMs);

  /** Returns whether a large number of bytes waits for the network. */
  boolean isFull();

  /** Returns whether the connection is closed. */
  boolean isClosed();

  /** Sends a record, together with others of this turn of the event loop. */
  void send(LinkRecord sent);

  /** Closes the connection with a reason, which the other node receives. */
  void close(String why);
}
