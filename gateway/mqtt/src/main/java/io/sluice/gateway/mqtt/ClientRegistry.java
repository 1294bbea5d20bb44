package io.sluice.gateway.mqtt;

import io.sluice.gateway.limits.Shares;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients of a node by their identifiers: the connected ones, and sessions of others until they
 * expire. Users share the memory of stored sessions. For any thread.
 */
final class ClientRegistry {
  /** Maximum bytes of stored sessions. */
  static final long MAX_BYTES = 64L << 20;

  private static final long SWEEP_MS = 10_000;

  /**
   * Identity of a client.
   *
   * @param user key of the user: clients of different users do not share identifiers
   */
  record Key(String user, String clientId) implements Comparable<Key> {
    // Hash maps find keys with equal hash codes, which a client can choose, by their order.
    @Override
    public int compareTo(Key other) {
      int order = user.compareTo(other.user);
      return order == 0 ? clientId.compareTo(other.clientId) : order;
    }
  }

  /** Connected client. */
  interface Connected {
    /**
     * Ends the connection, because another one has the same identifier. Any thread.
     *
     * @param next receives the session, or null, when the connection has ended
     */
    void takeOver(Takeover next);
  }

  /** Receiver of the session of another connection. Called on any thread. */
  @FunctionalInterface
  interface Takeover {
    void accept(StoredSession session);
  }

  /** State of a client. */
  private sealed interface Entry {}

  private record Live(Connected client) implements Entry {}

  private record Stored(StoredSession session, long expiresMs) implements Entry {}

  private final Map<Key, Entry> entries = new ConcurrentHashMap<>();
  private final Shares bytes;
  private final AtomicLong sweptMs = new AtomicLong();

  ClientRegistry(long maxBytes) {
    this.bytes = new Shares(maxBytes);
  }

  /**
   * Registers a connected client, and ends another one with its key.
   *
   * @param former receives the session of an earlier connection, or null; called now or later
   */
  void connect(Key key, Connected client, long nowMs, Takeover former) {
    sweep(nowMs);
    Entry before = entries.put(key, new Live(client));
    if (before instanceof Live live) {
      live.client().takeOver(former);
    } else if (before instanceof Stored stored) {
      release(key, stored);
      former.accept(nowMs < stored.expiresMs() ? stored.session() : null);
    } else {
      former.accept(null);
    }
  }

  /** Removes a client whose session ends with its connection. */
  void remove(Key key, Connected client) {
    entries.remove(key, new Live(client));
  }

  /**
   * Replaces a client by its session until that expires; without memory for it the session ends.
   *
   * @return whether the session is stored
   */
  boolean store(Key key, Connected client, StoredSession session, long expiresMs) {
    if (!bytes.take(key.user(), session.bytes())) {
      remove(key, client);
      return false;
    }
    Stored stored = new Stored(session, expiresMs);
    if (entries.replace(key, new Live(client), stored)) {
      return true;
    }
    bytes.release(key.user(), session.bytes());
    return false;
  }

  private void release(Key key, Stored stored) {
    bytes.release(key.user(), stored.session().bytes());
  }

  /** Removes expired sessions, at most every few seconds. */
  private void sweep(long nowMs) {
    long last = sweptMs.get();
    if (nowMs - last < SWEEP_MS || !sweptMs.compareAndSet(last, nowMs)) {
      return;
    }
    for (Iterator<Map.Entry<Key, Entry>> all = entries.entrySet().iterator(); all.hasNext(); ) {
      Map.Entry<Key, Entry> each = all.next();
      if (each.getValue() instanceof Stored stored
          && nowMs >= stored.expiresMs()
          && entries.remove(each.getKey(), stored)) {
        release(each.getKey(), stored);
      }
    }
  }

  /** Returns whether a client with this key is connected. */
  boolean isConnected(Key key) {
    return entries.get(key) instanceof Live;
  }

  /** Returns the number of clients and sessions. */
  int size() {
    return entries.size();
  }
}
