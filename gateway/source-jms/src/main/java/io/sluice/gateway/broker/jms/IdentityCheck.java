package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.IdentityState;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Verification of message ids. Two consumers receive each canary of one connection, and compare its
 * id with each other's, with that of the publisher and with the ids of earlier canaries. One canary
 * that contradicts refutes the ids until those of a later connection are verified. Any thread.
 */
public final class IdentityCheck {
  /** Consumers of each canary. */
  public static final int CONSUMERS = 2;

  /** Canaries that verify. */
  public static final int ENOUGH = 16;

  private static final int MAX_CANARIES = 64;
  private static final int MAX_IDS = 1_024;

  private final String name;
  private final BiConsumer<IdentityState, String> listener;
  private final Map<Long, Ids> canaries = bounded(MAX_CANARIES);

  /** Number of the canary of each id. */
  private final Map<String, Long> numbers = bounded(MAX_IDS);

  /** State after verification. */
  private final IdentityState verified;

  private IdentityState state;
  private int agreed;

  /** True if a canary of the current connection has contradicted. */
  private boolean contradicted;

  /** Ids of one canary; null if unknown. */
  private static final class Ids {
    private final String[] received = new String[CONSUMERS];
    private String sent;
    private boolean isSent;
    private boolean counted;
  }

  /**
   * Creates a check without evidence.
   *
   * @param property property with the id; empty: the JMSMessageID
   * @param listener receiver of changed states with the reason, called within the evidence
   */
  public IdentityCheck(String property, BiConsumer<IdentityState, String> listener) {
    this.name = property.isEmpty() ? "JMSMessageID" : "property " + property;
    this.verified = property.isEmpty() ? IdentityState.VERIFIED : IdentityState.PROPERTY;
    this.state = property.isEmpty() ? IdentityState.NONE : verified;
    this.listener = listener;
  }

  private static <K, V> Map<K, V> bounded(int max) {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > max;
      }
    };
  }

  /** Verifies refuted ids again: a new connection may be one to another broker. */
  public synchronized void onConnected() {
    if (contradicted) {
      contradicted = false;
      agreed = 0;
      canaries.clear();
    }
  }

  /**
   * Records that a canary was sent.
   *
   * @param id its id at the publisher, or null if that is unknown
   */
  public synchronized void onSent(long number, String id) {
    Ids ids = canaries.computeIfAbsent(number, any -> new Ids());
    ids.sent = id;
    ids.isSent = true;
    compare(ids);
  }

  /**
   * Records that a consumer has received a canary.
   *
   * @param consumer from 0
   * @param id its id, or null if it has none
   */
  public synchronized void onReceived(int consumer, long number, String id) {
    Ids ids = canaries.computeIfAbsent(number, any -> new Ids());
    String before = ids.received[consumer];
    ids.received[consumer] = id;
    if (id == null) {
      refute(name + " of a canary is missing");
    } else if (before != null && !before.equals(id)) {
      refute(name + " of a canary changed with a redelivery");
    } else if (numbers.getOrDefault(id, number) != number) {
      refute(name + " of a canary repeats that of an earlier one");
    } else {
      numbers.put(id, number);
      compare(ids);
    }
  }

  private void compare(Ids ids) {
    String first = ids.received[0];
    for (String each : ids.received) {
      if (each == null || !ids.isSent) {
        return; // not complete
      }
      if (!each.equals(first)) {
        refute(name + " of a canary differs between two consumers");
        return;
      }
    }
    if (ids.sent != null && !ids.sent.equals(first)) {
      refute(name + " of a canary differs between publisher and consumers");
    } else if (!ids.counted) {
      ids.counted = true;
      agreed++;
      if (agreed >= ENOUGH && !contradicted && !state.isComparable()) {
        become(verified, "two consumers received canaries with equal ids");
      }
    }
  }

  /** Returns whether there is no evidence yet. */
  synchronized boolean isUnknown() {
    return state == IdentityState.NONE;
  }

  /** Returns the number of canaries that are still to be compared. */
  public synchronized int missing() {
    return contradicted ? 0 : Math.max(0, ENOUGH - agreed);
  }

  private void refute(String reason) {
    contradicted = true;
    if (state != IdentityState.REFUTED) {
      become(IdentityState.REFUTED, reason);
    }
  }

  private void become(IdentityState next, String reason) {
    state = next;
    listener.accept(next, reason);
  }
}
