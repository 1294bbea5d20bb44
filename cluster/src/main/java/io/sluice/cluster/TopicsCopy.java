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
 * <p>While a whole set is on its way in parts, changes are merged: the set has the revision of the
 * moment at which it was requested, so the latest change of each name decides.
 */
final class TopicsCopy {
  /** After so long without a part, the whole set is requested again. */
  static final long PATIENCE_MS = 10_000;

  private static final long UNSET = -1;

  private final Address owner;
  private final int most;
  private final Listener listener;
  private final Consumer<Address> requests;
  private final Set<String> names = new HashSet<>();
  private long revision;

  /** Time of the latest message of the owner. */
  private long heardMs;

  /** The whole set, as far as it has come; null if none is on its way. */
  private Set<String> state;

  private long stateRevision;
  private int parts;

  /** Whether a name is there after the changes that came meanwhile; null if one was missed. */
  private Map<String, Boolean> merged;

  private long mergedBase;
  private long mergedRevision;

  /** Receives the changes of the copy. */
  interface Listener {
    void onAdded(String name);

    void onRemoved(String name);
  }

  /**
   * @param most names that it holds
   * @param requests takes the owner when the whole set is needed
   */
  TopicsCopy(Address owner, int most, Listener listener, Consumer<Address> requests) {
    this.owner = owner;
    this.most = most;
    this.listener = listener;
    this.requests = requests;
  }

  Address owner() {
    return owner;
  }

  boolean isIdle(long nowMs) {
    return nowMs - heardMs >= PATIENCE_MS;
  }

  void onChange(ClusterMessage.TopicsChange change, long nowMs) {
    if (state != null) {
      merge(change);
      return;
    }
    heardMs = nowMs;
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
    heardMs = nowMs;
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
      return; // one was missed, or this one is repeated
    }
    if (change.base() != mergedRevision || merged.size() > 2 * most) {
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
      return; // a part is missing: it is requested again
    }
    heardMs = nowMs;
    parts++;
    part.names().stream().limit(most - state.size()).forEach(state::add);
    if (part.last()) {
      complete();
    }
  }

  private void complete() {
    Set<String> whole = state;
    state = null;
    revision = stateRevision;
    boolean goesOn = merged != null && mergedBase != UNSET && mergedBase <= stateRevision;
    if (goesOn && stateRevision <= mergedRevision) {
      merged.forEach((name, there) -> put(whole, name, there));
      revision = mergedRevision;
    }
    merged = null;
    Set.copyOf(names).stream().filter(name -> !whole.contains(name)).forEach(this::remove);
    whole.forEach(this::add);
  }

  private static void put(Set<String> names, String name, boolean there) {
    if (there) {
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

  /** The owner is gone. */
  void clear() {
    names.forEach(listener::onRemoved);
    names.clear();
  }

  private void add(String name) {
    if (names.size() < most && names.add(name)) {
      listener.onAdded(name);
    }
  }

  private void remove(String name) {
    if (names.remove(name)) {
      listener.onRemoved(name);
    }
  }
}
