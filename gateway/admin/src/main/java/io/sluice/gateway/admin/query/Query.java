package io.sluice.gateway.admin.query;

import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Query that each node answers for itself. Immutable, for any thread. */
public interface Query {
  /** Returns the figures of this node; a result of null means that it has none. */
  CompletionStage<JsonObject> ofNode(NodeSource source);

  /**
   * Returns the query that this node answers before the answers are merged.
   *
   * @param isOnly whether no other node receives the query
   */
  default Query perNode(boolean isOnly) {
    return this;
  }

  /** Returns whether equal queries of a short time share one result. */
  default boolean isShared() {
    return false;
  }

  /** Returns path and parameters of the same query to another node, for its figures only. */
  String forNode();

  /** Returns whether a node can have an answer. */
  default boolean concerns(String node) {
    return true;
  }

  /** Returns the body of a command, which nodes receive as POST; null for a mere query. */
  default String command() {
    return null;
  }

  /**
   * Returns the address of the operator who sent a command, for the audit log of the node that runs
   * it; null for a mere query.
   */
  default String operator() {
    return null;
  }

  /** Returns the object that a node may not have, for messages. */
  default String object() {
    return "it";
  }

  /** Returns the name of the only node that can have the object; empty if any can. */
  default String owner() {
    return "";
  }

  /** Creates a merge without answers. */
  Merge merge();

  /** Merge of the nodes' answers. Confined to one thread. */
  interface Merge {
    /**
     * Adds the answer of a node.
     *
     * @throws ClassCastException if a member has another type; likewise the next one
     * @throws NullPointerException if a member is missing
     */
    void add(JsonObject answer);

    /** Names the nodes that gave no answer, before the result is taken. */
    default void missing(List<String> nodes) {}

    /** Returns the result without the states of the nodes; null if no node has an answer. */
    JsonObject result();
  }
}
