package io.sluice.gateway.stomp;

import io.sluice.gateway.protocol.ClientFrame;
import java.util.HashMap;
import java.util.Map;

/** Subscriptions of one client by their ids and numbers. Bound to the client's event loop. */
final class StompSubscriptions {
  /** Largest number of temporary queues of a client. */
  static final int MAX_TEMPORARY = 16;

  private final SubscriptionIds ids;

  /** The only subscription, if there is one: it saves most clients two maps. */
  private StompSubscription only;

  /** Null until there are two. */
  private Map<Long, StompSubscription> byRef;

  /** Subscriptions by {@link StompSubscription#key}. */
  private Map<String, StompSubscription> byKey;

  StompSubscriptions(SubscriptionIds ids) {
    this.ids = ids;
  }

  /** Adds a subscription and assigns its numbers. */
  void add(StompSubscription added) throws BadStomp {
    if (ofKey(added.key()) != null) {
      throw BadStomp.header("id", added.key(), "identifies another subscription");
    }
    if (added.isTemporary()) {
      checkTemporary();
    } else {
      SubscriptionIds.SharedId shared = ids.acquire(added.key(), added.use());
      added.onAcquired(shared);
      if (added.target.orParent()) {
        added.parentRef = ids.acquire(added.key(), added.parentUse()).ref();
      }
    }
    put(added);
  }

  private void checkTemporary() throws BadStomp {
    long temporary =
        byKey == null ? 0 : byKey.values().stream().filter(StompSubscription::isTemporary).count();
    if (temporary >= MAX_TEMPORARY) {
      throw new BadStomp("more than " + MAX_TEMPORARY + " temporary queues");
    }
  }

  private void put(StompSubscription added) {
    if (byKey == null && only == null) {
      only = added;
      return;
    }
    if (byKey == null) {
      byRef = new HashMap<>();
      byKey = new HashMap<>();
      putIntoMaps(only);
      only = null;
    }
    putIntoMaps(added);
  }

  private void putIntoMaps(StompSubscription added) {
    byKey.put(added.key(), added);
    if (!added.isTemporary()) {
      byRef.put(added.ref, added);
    }
    if (added.parentRef != ClientFrame.NO_REF) {
      byRef.put(added.parentRef, added);
    }
  }

  /** Returns the subscription with a number, or null. */
  StompSubscription of(long ref) {
    if (byRef != null) {
      return byRef.get(ref);
    }
    boolean isOnly = only != null && (only.ref == ref || only.parentRef == ref);
    return isOnly && ref != ClientFrame.NO_REF ? only : null;
  }

  private StompSubscription ofKey(String key) {
    if (byKey != null) {
      return byKey.get(key);
    }
    return only != null && only.key().equals(key) ? only : null;
  }

  /** Returns the subscription that an UNSUBSCRIBE ends. */
  StompSubscription ofRequest(StompFrame frame, StompVersion version) throws BadStomp {
    String id = frame.header("id");
    if (id == null && version == StompVersion.V1_0) {
      id = frame.required("destination");
    }
    StompSubscription found = ofKey(id == null ? frame.required("id") : id);
    if (found == null) {
      throw BadStomp.header("id", id, "identifies no subscription");
    }
    return found;
  }

  /** Returns the id by which the client receives the replies of a temporary queue. */
  String temporary(String name) {
    if (only != null && only.isTemporary(name)) {
      return only.key();
    }
    if (byKey != null) {
      for (StompSubscription each : byKey.values()) {
        if (each.isTemporary(name)) {
          return each.key();
        }
      }
    }
    return StompDestination.TEMPORARY + name;
  }

  void remove(StompSubscription ended) {
    release(ended);
    if (byKey == null) {
      only = null;
    } else {
      byKey.remove(ended.key());
      byRef.remove(ended.ref);
    }
  }

  private void release(StompSubscription ended) {
    endParent(ended);
    if (!ended.isTemporary()) {
      ids.release(ended.key(), ended.use());
    }
  }

  /** Ends the part of a subscription that the topic above its pattern has. */
  void endParent(StompSubscription subscription) {
    if (subscription.parentRef != ClientFrame.NO_REF) {
      if (byRef != null) {
        byRef.remove(subscription.parentRef);
      }
      ids.release(subscription.key(), subscription.parentUse());
      subscription.parentRef = ClientFrame.NO_REF;
    }
  }

  /** Releases all ids. */
  void close() {
    if (only != null) {
      release(only);
      only = null;
    }
    if (byKey != null) {
      byKey.values().forEach(this::release);
      byKey.clear();
      byRef.clear();
    }
  }
}
