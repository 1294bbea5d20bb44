package io.sluice.cluster.replica;

import io.sluice.cluster.replica.ReplicaMessage.Kind;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Map that the nodes of a cluster share: each node owns entries, and the others hold a copy of them
 * per owner. Not thread-safe; without threads, clock and network.
 *
 * <p>The owner numbers its changes and sends them to all. A copy that misses a change requests all
 * entries, which arrive in parts. Digests reveal a lost last change. Messages to one node should
 * arrive in order, but may be lost, duplicated or reordered; a copy never replaces a value by an
 * older one. Changes and parts are paced by {@link #onTick}. The entries of a node that leaves the
 * view are discarded, so a restarted process must be another peer.
 *
 * @param <K> keys, whose order is the same on all nodes
 * @param <V> values, compared by equality
 */
public final class ReplicatedMap<K extends Comparable<K>, V> {
  /** Largest key with its value, encoded. */
  public static final int MAX_ENTRY_BYTES = ReplicaCodec.MAX_ENTRY_BYTES;

  /** Largest number of copies. */
  static final int MAX_OWNERS = 256;

  private final Options options;
  private final ReplicaCodec<K, V> codec;
  private final BiConsumer<Object, byte[]> sender;
  private final Listener<K, V> listener;

  /** This node's entries as sent to the others. */
  private final NavigableMap<K, V> own = new TreeMap<>();

  private final Set<K> toRemove = new LinkedHashSet<>();
  private final Map<K, V> toPut = new LinkedHashMap<>();

  /** Number of this node's entries once all changes are sent. */
  private int size;

  private long revision;

  /** Revision at the first view with another node. Without a later change, none was missed. */
  private long firstRevision = Long.MAX_VALUE;

  private long digestMs;

  /** Latest replies, which are sent in parts, by requesting node. */
  private final Map<Object, Reply<K>> replies = new LinkedHashMap<>();

  /** Copies by owner, for the nodes of the view up to the limit. */
  private final Map<Object, ReplicaCopy<K, V>> copies = new HashMap<>();

  private Set<Object> peers = Set.of();
  private long syncs;

  /**
   * Bounds and times.
   *
   * @param channel first byte of all messages; others are ignored
   * @param maxEntries largest number of entries of this node, and of the copy of each other one
   * @param changesPerTick messages with changes that are sent in one tick
   * @param partsPerTick parts of all entries that one node is sent in one tick
   * @param digestMs time without a change after which a digest is sent
   */
  public record Options(
      int channel, int maxEntries, int changesPerTick, int partsPerTick, long digestMs) {}

  /** Listener for the entries of other nodes. Must not change the map. */
  public interface Listener<K, V> {
    /**
     * Notifies of a changed entry.
     *
     * @param value null if it was removed
     */
    void onChange(Object owner, K key, V value);

    /**
     * Notifies that a node is no longer in the view, and its entries are discarded.
     *
     * @param entries its last entries, which do not change any more
     * @param announced whether it has announced that it leaves
     */
    void onGone(Object owner, NavigableMap<K, V> entries, boolean announced);

    /** Notifies that a node has requested all entries of this one. */
    default void onRequest(Object peer) {}
  }

  /** Progress of a reply. */
  private static final class Reply<K> {
    private final long sync;
    private int index;
    private boolean complete;

    /** Last key that was sent; null before the first one. */
    private K cursor;

    Reply(long sync) {
      this.sync = sync;
    }
  }

  /**
   * Creates a map without entries and other nodes.
   *
   * @param sender sends a message to a node of the latest view; the message may be lost
   */
  public ReplicatedMap(
      Options options,
      EntryCodec<K, V> codec,
      BiConsumer<Object, byte[]> sender,
      Listener<K, V> listener) {
    this.options = options;
    this.codec = new ReplicaCodec<>(options.channel(), codec);
    this.sender = sender;
    this.listener = listener;
  }

  /**
   * Adds or changes an entry of this node. Others receive it with a later tick.
   *
   * @return false if the entry is too large, its key cannot be encoded without loss, or this node
   *     has the largest number of entries
   */
  public boolean put(K key, V value) {
    boolean added = !contains(key);
    if (added && size >= options.maxEntries() || !codec.isEncodable(key, value)) {
      return false;
    }
    size += added ? 1 : 0;
    toRemove.remove(key);
    if (value.equals(own.get(key))) {
      toPut.remove(key);
    } else {
      toPut.put(key, value);
    }
    return true;
  }

  /** Removes an entry of this node. */
  public void remove(K key) {
    size -= contains(key) ? 1 : 0;
    if (own.containsKey(key)) {
      toRemove.add(key);
    }
    toPut.remove(key);
  }

  /** Returns whether this node has an entry, including changes that are not sent. */
  public boolean contains(K key) {
    return toPut.containsKey(key) || own.containsKey(key) && !toRemove.contains(key);
  }

  /** Returns a view of this node's entries as sent to the others. */
  public NavigableMap<K, V> own() {
    return Collections.unmodifiableNavigableMap(own);
  }

  /** Returns a view of the copied entries of another node; empty for an unknown one. */
  public NavigableMap<K, V> of(Object owner) {
    ReplicaCopy<K, V> copy = copies.get(owner);
    return copy == null ? Collections.emptyNavigableMap() : copy.entries();
  }

  /** Returns the other nodes of the view. */
  public Set<Object> peers() {
    return peers;
  }

  /** Returns whether the copy of a node's entries is complete, as far as is known. */
  public boolean isCurrent(Object owner) {
    ReplicaCopy<K, V> copy = copies.get(owner);
    return copy != null && copy.isCurrent();
  }

  /** Returns whether changes wait for the next tick. */
  public boolean hasUnsent() {
    return !toRemove.isEmpty() || !toPut.isEmpty();
  }

  /**
   * Replaces the view.
   *
   * @param view other nodes, compared by equality; an object identifies one process
   */
  public void onView(List<?> view, long nowMs) {
    boolean joins = !peers.containsAll(view);
    while ((peers.isEmpty() || joins) && hasUnsent()) {
      sendChange(); // the digest below includes it
    }
    firstRevision = view.isEmpty() ? firstRevision : Math.min(firstRevision, revision);
    Set<Object> before = peers;
    peers = Collections.unmodifiableSet(new LinkedHashSet<>(view));
    replies.keySet().retainAll(peers);
    for (Object owner : List.copyOf(copies.keySet())) {
      if (!peers.contains(owner)) {
        ReplicaCopy<K, V> copy = copies.remove(owner);
        listener.onGone(owner, copy.entries(), copy.isLeaving());
      }
    }
    for (Object peer : peers) {
      if (!copies.containsKey(peer) && copies.size() < MAX_OWNERS) {
        copies.put(peer, copyOf(peer, nowMs));
      }
      if (!before.contains(peer)) {
        send(peer, Kind.DIGEST, revision, 0);
      }
    }
  }

  private ReplicaCopy<K, V> copyOf(Object owner, long nowMs) {
    return new ReplicaCopy<>(
        options.maxEntries(),
        (key, value) -> listener.onChange(owner, key, value),
        () -> {
          send(owner, Kind.REQUEST, 0, ++syncs);
          return syncs;
        },
        nowMs);
  }

  private void send(Object peer, Kind kind, long atRevision, long sync) {
    sender.accept(peer, codec.message(kind, atRevision, sync));
  }

  private void sendToAll(byte[] message) {
    peers.forEach(peer -> sender.accept(peer, message));
  }

  /**
   * Handles a message of another node. It is ignored if the node is not in the view, or its channel
   * or kind is unknown.
   *
   * @throws IOException if it is malformed
   */
  public void onMessage(Object from, byte[] bytes, long nowMs) throws IOException {
    ReplicaMessage<K, V> message = codec.decode(bytes);
    if (message == null || !peers.contains(from)) {
      return; // a digest follows the view
    }
    ReplicaCopy<K, V> copy = copies.get(from);
    if (message.kind() == Kind.REQUEST) {
      onRequest(from, message.sync());
    } else if (copy != null) {
      copy.onMessage(message, nowMs);
    }
  }

  /**
   * Starts a reply with the next tick. It replaces the reply to an earlier request. A duplicate is
   * ignored, because parts of two replies with one id must not be mixed.
   */
  private void onRequest(Object from, long sync) {
    listener.onRequest(from);
    Reply<K> former = replies.get(from);
    if (former == null || former.sync < sync) {
      replies.put(from, new Reply<>(sync));
    }
  }

  /** Sends what is due. To be called at a fixed interval. */
  public void onTick(long nowMs) {
    if (hasUnsent()) {
      for (int i = 0; i < options.changesPerTick() && hasUnsent(); i++) {
        sendChange();
      }
      digestMs = nowMs;
    } else if (revision > firstRevision && nowMs - digestMs >= options.digestMs()) {
      digestMs = nowMs;
      sendToAll(codec.message(Kind.DIGEST, revision, 0));
    }
    replies.forEach(this::sendParts);
    copies.values().forEach(copy -> copy.onTick(nowMs));
  }

  /** Sends one message with changes: removals first, which make room for the other entries. */
  private void sendChange() {
    ReplicaCodec<K, V>.Part part = codec.new Part();
    boolean fits = true;
    for (Iterator<K> keys = toRemove.iterator(); fits && keys.hasNext(); ) {
      K key = keys.next();
      fits = part.add(key, null);
      if (fits) {
        own.remove(key);
        keys.remove();
      }
    }
    Iterator<Map.Entry<K, V>> puts = toPut.entrySet().iterator();
    while (fits && puts.hasNext()) {
      Map.Entry<K, V> next = puts.next();
      fits = part.add(next.getKey(), next.getValue());
      if (fits) {
        own.put(next.getKey(), next.getValue());
        puts.remove();
      }
    }
    revision++;
    sendToAll(part.message(Kind.CHANGE, revision, 0, 0));
  }

  private void sendParts(Object to, Reply<K> reply) {
    for (int i = 0; i < options.partsPerTick() && !reply.complete; i++) {
      NavigableMap<K, V> rest = reply.cursor == null ? own : own.tailMap(reply.cursor, false);
      ReplicaCodec<K, V>.Part part = codec.new Part();
      Iterator<Map.Entry<K, V>> entries = rest.entrySet().iterator();
      boolean last = true;
      while (last && entries.hasNext()) {
        Map.Entry<K, V> next = entries.next();
        last = part.add(next.getKey(), next.getValue());
        reply.cursor = last ? next.getKey() : reply.cursor;
      }
      Kind kind = last ? Kind.LAST_PART : Kind.PART;
      sender.accept(to, part.message(kind, revision, reply.sync, reply.index++));
      reply.complete = last;
    }
  }

  /** Announces to the other nodes that this one leaves. */
  public void leave() {
    sendToAll(codec.message(Kind.LEAVE, revision, 0));
  }
}
