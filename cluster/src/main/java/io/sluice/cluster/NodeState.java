package io.sluice.cluster;

/** Lifecycle states of a node. Constants are sent by {@link #code}; add, never renumber. */
public enum NodeState {
  /** The node starts, its logs are young, or it has no broker; no client is redirected to it. */
  JOINING(1),
  /** The node serves clients. */
  UP(2),
  /** The node redirects its clients. */
  DRAINING(3);

  private final int code;

  NodeState(int code) {
    this.code = code;
  }

  int code() {
    return code;
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
