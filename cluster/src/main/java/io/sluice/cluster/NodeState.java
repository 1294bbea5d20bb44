package io.sluice.cluster;

/** How far a node is. Constants go over the wire by {@link #code}; add, never renumber. */
public enum NodeState {
  /** It is not ready, and no client should be sent to it. */
  JOINING(1),
  /** It serves. */
  UP(2),
  /** Its clients are leaving. */
  DRAINING(3);

  private final int code;

  NodeState(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  /** A state that this version doesn't know is one in which it sends no client there. */
  static NodeState of(int code) {
    for (NodeState state : values()) {
      if (state.code == code) {
        return state;
      }
    }
    return JOINING;
  }
}
