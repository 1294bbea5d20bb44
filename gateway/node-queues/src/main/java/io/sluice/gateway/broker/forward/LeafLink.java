package io.sluice.gateway.broker.forward;

/**
 * Link to a leaf, as the calls of the leaf use it. Bound to its event loop, except where a method
 * states otherwise.
 */
interface LeafLink {
  /** Consumer, browse or request that a leaf can close. */
  interface Opened {
    /** Ends it; its leaf receives nothing more. */
    void close();
  }

  /** Consumer whose messages wait for room on the link. */
  interface Waiting {
    /** Sends the next message that has waited; returns whether others wait. */
    boolean sendNext();
  }

  /** Returns the pools of all leaves, and of the users of each. Any thread. */
  ForwardPools pools();

  /** Runs a task on the event loop of the link. Any thread. */
  void execute(Runnable task);

  /** Sends a record to the leaf. */
  void send(QueueRecord.Result result);

  /** Returns whether messages must wait. */
  boolean isFull();

  /** Returns whether the leaf has not closed a call, which has not ended either. */
  boolean isOpen(int ref, Opened call);

  /** Ends a call; returns whether it was open. */
  boolean end(int ref, Opened call);

  /** Calls {@link Waiting#sendNext} when the link has room. */
  void await(Waiting consumer);

  /** Sends no further waiting messages of a consumer. */
  void forget(Waiting consumer);
}
