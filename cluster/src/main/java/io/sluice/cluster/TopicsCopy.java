package io.sluice.cluster;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jgroups.Address;

/**
 * Copy of the active topics of one other node. Bound to the cluster's thread.
 *
 * <p>While a whole set is received in parts, changes are merged. The set has the revision of the
 * time of the request, so the latest change of each name wins.
 */
final class TopicsCopy {
  /** Time without a part after which the whole set is requested again. */
  static final long TIMEOUT_MS = 10_000;

  private static final long UNSET = -1;

  private final Address owner;
  private final int maxNames;
  private final Listener listener;
  private final Consumer<Address> requests;
  private final Set<String> names = new HashSet<>();
  private long revision;

  /** Time of the latest message of the owner. */
  private long lastMessageMs;

  /** Received parts of the whole set; null if none is requested. */
  private Set<String> state;

  private long stateRevision;
  private int parts;

  /** Names changed since the request, true if added; null if a change was missed. */
  private Map<String, Boolean> merged;

  private long mergedBase;
  private long mergedRevision;

  /** Listener for changes of the copy. */
  interface Listener {
    void onAdded(String name);

    void onRemoved(String name);
  }

  /**
   * @param maxNames largest number of names
   * @param requests receives the owner when the whole set is required
   */
  TopicsCopy(Address owner, int maxNames, Listener listener, Consumer<Address> requests) {
    this.owner = owner;
    this.maxNames = maxNames;
    this.listener = listener;
    this.requests = requests;
  }

  Address owner() {
    return owner;
  }

  boolean isIdle(long nowMs) {
    return nowMs - lastMessageMs >= TIMEOUT_MS;
  }

  void onChange(ClusterMessage.TopicsChange change, long nowMs) {
    if (state != null) {
      merge(change);
      return;
    }
    lastMessageMs = nowMs;
    if (change.base() == revision) {
      change.removed().forEach(this::remove);
      change.added().forEach(this::add);
      revision = change.revision();
    } else if (change.revision() > revision) {
      request(nowMs);
      merge(change);
    }
  }

  private void request(long nowMs) {
    lastMessageMs = nowMs;
    state = new HashSet<>();
    parts = 0;
    merged = new HashMap<>();
    mergedBase = UNSET;
    requests.accept(owner);
  }

  private void merge(ClusterMessage.TopicsChange change) {
    if (mergedBase == UNSET) {
      mergedBase = change.base();
      mergedRevision = change.base();
    }
    if (merged == null || change.base() < mergedRevision) {
      return; // a change was missed, or this one is a duplicate
    }
    if (change.base() != mergedRevision || merged.size() > 2 * maxNames) {
      merged = null;
      return;
    }
    change.removed().forEach(name -> merged.put(name, false));
    change.added().forEach(name -> merged.put(name, true));
    mergedRevision = change.revision();
  }

  void onState(ClusterMessage.TopicsState part, long nowMs) {
    if (state == null) {
      return;
    }
    if (part.index() == 0) {
      state.clear();
      parts = 0;
      stateRevision = part.revision();
    }
    if (part.index() != parts || part.revision() != stateRevision) {
      return; // a part is missing: the set is requested again
    }
    lastMessageMs = nowMs;
    parts++;
    part.names().stream().limit(maxNames - state.size()).forEach(state::add);
    if (part.last()) {
      complete();
    }
  }

  private void complete() {
    Set<String> whole = state;
    state = null;
    revision = stateRevision;
    boolean contiguous = merged != null && mergedBase != UNSET && mergedBase <= stateRevision;
    if (contiguous && stateRevision <= mergedRevision) {
      merged.forEach((name, present) -> put(whole, name, present));
      revision = mergedRevision;
    }
    merged = null;
    Set.copyOf(names).stream().filter(name -> !whole.contains(name)).forEach(this::remove);
    whole.forEach(this::add);
  }

  private static void put(Set<String> names, String name, boolean present) {
    if (present) {
      names.add(name);
    } else {
      names.remove(name);
    }
  }

  void onTick(long nowMs) {
    if (state != null && isIdle(nowMs)) {
      request(nowMs);
    }
  }

  /** Removes all names of an owner that has left. */
  void clear() {
    names.forEach(listener::onRemoved);
    names.clear();
  }

  private void add(String name) {
    if (names.size() < maxNames && names.add(name)) {
      listener.onAdded(name);
    }
  }

  private void remove(String name) {
    if (names.remove(name)) {
      listener.onRemoved(name);
    }
  }
}
