package io.sluice.gateway.query;

/**
 * Node of the cluster with its latest known status, for operators. Immutable, for any thread.
 *
 * @param id configured name
 * @param publicUrl URL at which clients reach this node, empty if they cannot
 * @param adminUrl URL of its admin port, empty if unknown
 * @param version of its software
 * @param state word of its lifecycle state
 * @param sinceMs start of that state, Unix milliseconds of its clock
 * @param load latest reported load
 */
public record NodeStatus(
    String id,
    String publicUrl,
    String adminUrl,
    String version,
    String state,
    long sinceMs,
    Load load) {
  /** Word of the state in which a node serves clients. */
  public static final String UP = "up";

  /**
   * Load of a node; unknown figures are 0.
   *
   * @param connections number of connected clients
   * @param movable number of clients that can be redirected and were not redirected yet
   * @param messageRate delivered messages per second
   * @param cpu share of the available processors, 0 to 1
   * @param loopLagMs lag of the event loops in milliseconds
   */
  public record Load(
      int connections, int movable, double messageRate, double cpu, double loopLagMs) {}

  /** Returns whether clients can be redirected to this node. */
  public boolean acceptsClients() {
    return state.equals(UP) && !publicUrl.isEmpty();
  }
}
