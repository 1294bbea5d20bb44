package io.sluice.cluster;

import java.util.Locale;

/** Lifecycle states of a node. Constants are sent by {@link #code}; add, never renumber. */
public enum NodeState {
  /** The node starts, or its logs are young; no client is redirected to it. */
  JOINING(1),
  /** The node serves clients. */
  UP(2),
  /** The node redirects its clients. */
  DRAINING(3),
  /** The node has lost its broker; no client is redirected to it. */
  BROKER_LOST(4);

  private final int code;

  NodeState(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  /** Returns the word in responses and metrics. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Returns whether the node neither serves nor drains. Earlier versions announce {@link #JOINING}
   * after a loss of the broker.
   */
  public boolean isNotReady() {
    return this == JOINING || this == BROKER_LOST;
  }

  /**
   * Returns the state of a code; an unknown code is treated as {@link #JOINING}, so no client is
   * redirected there.
   */
  static NodeState of(int code) {
    for (NodeState state : values()) {
      if (state.code == code) {
        return state;
      }
    }
    return JOINING;
  }
}
