package io.sluice.gateway.admission;

import io.netty.util.NetUtil;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.socket.AcceptedChannel;
import io.sluice.gateway.socket.AcceptedConnection;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Connections of one event loop whose handshake is pending, in the order of their deadlines. Bound
 * to that loop.
 *
 * <p>A handshake is pending until the connection is a WebSocket or a stream. It has a deadline: an
 * idle timeout would not bound a client that sends a byte now and then.
 *
 * <p>If the loop has too many, the oldest connection of the address with the most connections on
 * this loop is closed. An address that opens silent connections therefore evicts its own, and
 * clients of other addresses are admitted. The limit is per event loop, so no other loop is
 * involved.
 */
public final class PendingHandshakes implements ProxyHeader.Listener {
  private static final int MAX_CLOSED_PER_CALL = 64;
  private static final Refusal TIMEOUT = Refusal.timeout().with(Refusal.READABLE);

  private final Map<AcceptedConnection, Pending> pending = new LinkedHashMap<>();

  /** Connections with a request that is being answered, which have no deadline. */
  private final Map<AcceptedConnection, Pending> answering = new HashMap<>();

  private final ConnectionsByAddress byAddress = new ConnectionsByAddress();
  private final RefusalLog log;
  private final long timeoutMs;
  private final int maxPending;
  private final List<AddressRange> proxies;
  private final AdmissionCheck admission;
  private final HandshakeQuota quota;

  /**
   * @param timeoutMs maximum time from accept to the end of the handshake or to the last request
   * @param maxPending maximum number of pending handshakes of this loop
   * @param proxies addresses that may connect, each with a PROXY protocol header; null: any address
   *     may connect, without such a header
   * @param check applied when the source address is determined; null: none
   * @param quota of pending handshakes per address, shared by all loops
   */
  public PendingHandshakes(
      RefusalLog log,
      long timeoutMs,
      int maxPending,
      List<AddressRange> proxies,
      AdmissionCheck check,
      HandshakeQuota quota) {
    this.log = log;
    this.timeoutMs = timeoutMs;
    this.maxPending = maxPending;
    this.proxies = proxies;
    this.admission = check;
    this.quota = quota;
  }

  /** State of one pending handshake. */
  private static final class Pending {
    long deadlineMs;

    /** Set once the client is notified that the connection ends. */
    boolean ending;

    /** Set while its address is charged for a handshake that no request has used. */
    boolean charged;

    /** Number of requests that are being answered while the timeout is suspended. */
    int answers;

    /** Slot in the quota of its address; null before it is acquired and after its release. */
    HandshakeQuota.Slot slot;

    /** Connections of its source address; of the proxy until the PROXY header is received. */
    ConnectionsByAddress.Group group;

    Pending(long deadlineMs, ConnectionsByAddress.Group group) {
      this.deadlineMs = deadlineMs;
      this.group = group;
    }
  }

  /**
   * Adds an accepted connection from which nothing has been read. Closes it if a proxy is required
   * and it is not from one, or if the admission check rejects it. Past the maximum number, another
   * connection is closed.
   */
  public void add(AcceptedConnection connection, long nowMs) {
    if (connection.source() == null) {
      connection.close(); // the client has disconnected; NIO reports this as null
    } else {
      pending.put(
          connection,
          new Pending(nowMs + timeoutMs, byAddress.add(quota.name(connection), connection)));
      boolean stays = proxies == null ? onSource(connection) : expectProxy(connection);
      if (stays && pending.size() > maxPending) {
        reject(byAddress.oldestOfLargest(), "too-many");
      }
    }
  }

  /** Applies the admission check and the quota to a connection whose source is determined. */
  @Override
  public boolean onSource(AcceptedConnection connection) {
    Pending handshake = pending.get(connection);
    if (handshake == null) {
      return false;
    }
    if (proxies != null) { // before its header, its address was that of the proxy
      byAddress.remove(handshake.group, connection);
      handshake.group = byAddress.add(quota.name(connection), connection);
    }
    // First, so that a connection that the check rejects evicts no other.
    if (admission != null && !passesCheck(connection, handshake)) {
      return false;
    }
    handshake.slot = quota.acquire(connection, () -> reject(connection, "too-many"));
    return true;
  }

  private boolean passesCheck(AcceptedConnection connection, Pending handshake) {
    AdmissionCheck.Verdict verdict = admission.check(connection);
    handshake.charged = verdict == AdmissionCheck.Verdict.CHARGED;
    if (verdict == AdmissionCheck.Verdict.REJECTED) {
      reject(connection, admission.cause());
    }
    return verdict != AdmissionCheck.Verdict.REJECTED;
  }

  /** Returns whether the handshake of a connection is pending. */
  public boolean contains(AcceptedConnection connection) {
    return pending.containsKey(connection);
  }

  /**
   * Returns whether the handshake of a request is already charged, and marks it as used. Returns
   * true for the connection's first request only.
   */
  public boolean useCharge(AcceptedConnection connection) {
    Pending handshake = pending.get(connection);
    boolean charged = handshake != null && handshake.charged;
    if (charged) {
      handshake.charged = false;
    }
    return charged;
  }

  /**
   * Returns whether a request should be the last one of its connection, because half of the timeout
   * has passed. A client that is not notified could send its next request while the connection is
   * closed. The first such request starts the timeout once more, so that its response is complete.
   */
  public boolean isLastRequest(AcceptedConnection connection, long nowMs) {
    Pending handshake = pending.get(connection);
    if (handshake == null) {
      return false;
    }
    if (!handshake.ending && handshake.deadlineMs - nowMs < timeoutMs / 2) {
      handshake.ending = true;
      handshake.deadlineMs = nowMs + timeoutMs;
      pending.remove(connection); // added again behind all earlier deadlines
      pending.put(connection, handshake);
    }
    return handshake.ending;
  }

  private boolean expectProxy(AcceptedConnection connection) {
    boolean expected = AddressRange.anyContains(proxies, connection.source());
    if (expected) {
      ProxyHeader.expect(((AcceptedChannel) connection).channel(), this);
    } else {
      reject(connection, "proxy-protocol");
    }
    return expected;
  }

  @Override
  public void onMalformed(AcceptedConnection connection) {
    if (remove(connection)) {
      log.addClosed("proxy-protocol", Refusal.withoutProxyHeader(), address(connection));
      connection.close();
    }
  }

  private static String address(AcceptedConnection connection) {
    InetAddress source = connection.source();
    return source == null ? "" : NetUtil.toAddressString(source);
  }

  /** Closes a connection whose handshake is pending, and counts the rejection. */
  public void reject(AcceptedConnection connection, String cause) {
    if (remove(connection)) {
      log.addClosed(cause, address(connection));
      connection.close();
    }
  }

  /**
   * Releases the slot of a connection that is admitted. To be called before its response is sent,
   * because the client may open its next connection on receipt.
   */
  public void onAdmitted(AcceptedConnection connection) {
    Pending admitted = pending.get(connection);
    if (admitted != null) {
      releaseSlot(admitted);
    }
  }

  /**
   * Suspends the timeout of a connection: the session that answers its request is counted. With
   * HTTP/2 several requests are answered at a time.
   */
  public void suspend(AcceptedConnection connection) {
    Pending open = answering.get(connection);
    if (open != null) {
      open.answers++;
      return;
    }
    Pending suspended = pending.remove(connection);
    if (suspended != null) {
      suspended.answers = 1;
      byAddress.remove(suspended.group, connection);
      releaseSlot(suspended);
      answering.put(connection, suspended);
    }
  }

  /**
   * Starts the timeout again, for the next request of a connection that was suspended, if no other
   * request is being answered.
   */
  public void resume(AcceptedConnection connection, long nowMs) {
    Pending resumed = answering.get(connection);
    if (resumed == null || --resumed.answers > 0) {
      return;
    }
    answering.remove(connection);
    if (connection.source() != null) {
      resumed.deadlineMs = nowMs + timeoutMs;
      resumed.group = byAddress.add(quota.name(connection), connection);
      pending.put(connection, resumed);
    }
  }

  /**
   * Removes a connection whose handshake has ended or which is closed.
   *
   * @return whether its handshake was pending
   */
  public boolean remove(AcceptedConnection connection) {
    answering.remove(connection);
    Pending removed = pending.remove(connection);
    if (removed != null) {
      byAddress.remove(removed.group, connection);
      releaseSlot(removed);
    }
    return removed != null;
  }

  private void releaseSlot(Pending holder) {
    if (holder.slot != null) {
      quota.release(holder.slot);
      holder.slot = null;
    }
  }

  /** Counts a failed TLS handshake, and logs it. TLS closes the connection. */
  public void onTlsFailed(AcceptedConnection connection) {
    if (remove(connection)) {
      log.addClosed("tls", address(connection));
    }
  }

  /** Closes all connections. */
  public void closeAll() {
    for (AcceptedConnection connection : List.copyOf(pending.keySet())) {
      remove(connection);
      connection.close();
    }
  }

  /**
   * Closes connections past their deadline, in that order, unless what the kernel has received
   * completes the handshake. The number per call is bounded, so that other tasks of the event loop
   * are not delayed.
   *
   * @return whether there may be more of them
   */
  public boolean closeExpired(long nowMs) {
    for (int judged = 0; judged < MAX_CLOSED_PER_CALL; judged++) {
      AcceptedConnection oldest = overdue(nowMs);
      if (oldest == null) {
        return false;
      }
      oldest.readReceived();
      Pending unread = pending.get(oldest);
      if (unread != null && unread.deadlineMs <= nowMs && remove(oldest)) {
        log.addClosed("timeout", address(oldest));
        oldest.closeWith(TIMEOUT);
      }
    }
    return true;
  }

  /** Returns the connection whose deadline has passed first, or null. */
  private AcceptedConnection overdue(long nowMs) {
    Iterator<Map.Entry<AcceptedConnection, Pending>> oldest = pending.entrySet().iterator();
    if (oldest.hasNext()) {
      Map.Entry<AcceptedConnection, Pending> entry = oldest.next();
      return entry.getValue().deadlineMs <= nowMs ? entry.getKey() : null;
    }
    return null;
  }
}
