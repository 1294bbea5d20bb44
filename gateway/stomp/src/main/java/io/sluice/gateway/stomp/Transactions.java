package io.sluice.gateway.stomp;

import io.sluice.gateway.protocol.ClientFrame;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Open transactions of a client, whose frames wait for COMMIT. Bound to its event loop. */
final class Transactions {
  /** Largest number of open transactions of a client. */
  static final int MAX_OPEN = 16;

  private final Map<String, Open> open = new HashMap<>(2);
  private final int maxParts;
  private final long maxBytes;
  private long bytes;

  /** Frames of one transaction. */
  private static final class Open {
    private final List<ClientFrame.Publish> publishes = new ArrayList<>();
    private final List<ClientFrame.Settle> acks = new ArrayList<>();
    private long bytes;
  }

  /**
   * @param maxParts largest number of frames in a transaction
   * @param maxBytes largest number of bytes in all open transactions
   */
  Transactions(int maxParts, long maxBytes) {
    this.maxParts = maxParts;
    this.maxBytes = maxBytes;
  }

  void begin(String name) throws BadStomp {
    if (open.size() >= MAX_OPEN) {
      throw new BadStomp("more than " + MAX_OPEN + " transactions are open");
    }
    if (open.putIfAbsent(name, new Open()) != null) {
      throw BadStomp.header("transaction", name, "has begun already");
    }
  }

  void add(String name, ClientFrame.Publish publish, long size) throws BadStomp {
    Open transaction = open(name, size);
    transaction.publishes.add(publish);
  }

  void add(String name, ClientFrame.Settle ack, long size) throws BadStomp {
    Open transaction = open(name, size);
    List<ClientFrame.Settle> acks = transaction.acks;
    if (!acks.isEmpty() && acks.get(0).subscription() != ack.subscription()) {
      throw BadStomp.header(
          "transaction", name, "can acknowledge messages of one subscription only");
    }
    acks.add(ack);
  }

  private Open open(String name, long size) throws BadStomp {
    Open transaction = open.get(name);
    if (transaction == null) {
      throw notBegun(name);
    }
    if (transaction.publishes.size() + transaction.acks.size() >= maxParts) {
      throw BadStomp.header(
          "transaction", name, "has more than limits.transaction (" + maxParts + ") frames");
    }
    if (bytes + size > maxBytes) {
      throw new BadStomp("the frames of open transactions exceed " + maxBytes + " bytes");
    }
    transaction.bytes += size;
    bytes += size;
    return transaction;
  }

  private static BadStomp notBegun(String name) {
    return BadStomp.header("transaction", name, "has not begun");
  }

  /** Ends a transaction. Returns its frame, or null if it is empty. */
  ClientFrame.Transaction commit(String name, long ref) throws BadStomp {
    Open ended = end(name);
    return ended.publishes.isEmpty() && ended.acks.isEmpty()
        ? null
        : new ClientFrame.Transaction(ref, ended.publishes, ended.acks);
  }

  void abort(String name) throws BadStomp {
    end(name);
  }

  private Open end(String name) throws BadStomp {
    Open ended = open.remove(name);
    if (ended == null) {
      throw notBegun(name);
    }
    bytes -= ended.bytes;
    return ended;
  }
}
