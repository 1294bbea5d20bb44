package io.sluice.gateway.mqtt;

import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import java.util.HashMap;
import java.util.Map;

/**
 * Parts of a client by ref, and shared ones by pattern. Without maps while there is one, as for
 * most clients. Bound to the client's event loop.
 */
final class PartTable {
  /** The part while there are no maps; otherwise null. */
  private SubscribedPart only;

  private LongObjectMap<SubscribedPart> byRef;
  private Map<String, SubscribedPart> shared;

  void add(SubscribedPart part) {
    if (byRef == null && only == null) {
      only = part;
      return;
    }
    if (byRef == null) {
      byRef = new LongObjectHashMap<>();
      shared = new HashMap<>();
      put(only);
      only = null;
    }
    put(part);
  }

  private void put(SubscribedPart part) {
    byRef.put(part.ref, part);
    if (!part.isTagged()) {
      shared.put(part.pattern, part);
    }
  }

  /** Returns a part, or null. */
  SubscribedPart get(long ref) {
    if (byRef != null) {
      return byRef.get(ref);
    }
    return only != null && only.ref == ref ? only : null;
  }

  /** Returns the shared part of a pattern, or null. */
  SubscribedPart shared(String pattern) {
    if (shared != null) {
      return shared.get(pattern);
    }
    return only != null && !only.isTagged() && only.pattern.equals(pattern) ? only : null;
  }

  /** Removes a part and returns it, or null. */
  SubscribedPart remove(long ref) {
    SubscribedPart removed = get(ref);
    if (removed == null) {
      return null;
    }
    if (byRef == null) {
      only = null;
      return removed;
    }
    byRef.remove(ref);
    shared.remove(removed.pattern, removed);
    if (byRef.size() == 1) {
      only = byRef.values().iterator().next();
      byRef = null;
      shared = null;
    }
    return removed;
  }
}
