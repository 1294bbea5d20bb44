package io.sluice.gateway.admin.query;

import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.limits.Shares;
import io.sluice.gateway.query.NodeStatus;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Queries of this node and of all nodes of the cluster. Bound to the admin event loop. */
public final class Queries {
  /** Maximum number of concurrent queries of all operators; further ones are answered with 503. */
  static final int MAX_RUNNING = 16;

  private static final long SWEEP_MS = 1_000;
  private static final String NODES = "nodes";
  private static final String PARTIAL = "partial";
  private static final String AT = "at";

  private final Executor loop;
  private final NodeSource source;
  private final Supplier<List<NodeStatus>> nodes;
  private final PeerQueries peers;
  private final String alertsUrl;
  private final History history;
  private final SharedResults<CompletionStage<Result>> results;
  private final SharedResults<OwnAnswer> ownAnswers;
  private final DepartedNodes departed = new DepartedNodes();
  private final Shares running = new Shares(MAX_RUNNING);

  /**
   * Result of a query, encoded once for all operators who receive it.
   *
   * @param status status of the response
   * @param json body; null for an error
   * @param error text of one line; null with a body
   */
  public record Result(int status, Buffer json, String error) {}

  /**
   * Key of a shared result.
   *
   * @param asked names and URLs of the other nodes that receive the query
   * @param authorization header for them, which they may refuse; null without other nodes
   */
  private record Key(Query query, List<String> asked, String authorization) {}

  /**
   * Answer of this node, which results with different answers of other nodes can share.
   *
   * @param atMs start of the query, Unix milliseconds
   */
  private record OwnAnswer(CompletableFuture<NodeAnswer> answer, long atMs) {}

  /**
   * @param nodes all nodes of the cluster, including this one
   */
  public Queries(
      Vertx vertx, NodeSource source, Supplier<List<NodeStatus>> nodes, QueryOptions options) {
    Context context = vertx.getOrCreateContext();
    this.loop = task -> context.runOnContext(now -> task.run());
    this.source = new LoopSource(source, loop);
    this.nodes = nodes;
    this.peers = new PeerQueries(vertx, options);
    this.alertsUrl = options.alertsUrl();
    this.history = new History(source.totals(), System.nanoTime());
    this.results = new SharedResults<>(options.sharedFor().toNanos(), System::nanoTime);
    this.ownAnswers = new SharedResults<>(options.sharedFor().toNanos(), System::nanoTime);
    vertx.setPeriodic(History.INTERVAL_MS, tick -> sample());
    vertx.setPeriodic(SWEEP_MS, tick -> sweep());
  }

  /**
   * Answers a query. The stage completes on the admin event loop and never fails.
   *
   * @param authorization header of the operator's request for other nodes, or null
   * @param by the operator, who has a share of the concurrent queries
   * @throws IllegalArgumentException with an error message of one line
   */
  public CompletionStage<Result> answer(
      Query query, QueryInput parameters, String authorization, Operator by) {
    List<NodeStatus> others = parameters.isOfNode() ? List.of() : others(query);
    List<String> asked = others.stream().map(node -> node.id() + " " + node.adminUrl()).toList();
    Key key = new Key(query, asked, others.isEmpty() ? null : authorization);
    CompletionStage<Result> shared = query.isShared() ? results.find(key) : null;
    if (shared != null) {
      return shared;
    }
    if (!running.take(by.user(), 1)) {
      String busy =
          "too many concurrent queries: at most %d, and per operator as many as are left for others"
              .formatted(MAX_RUNNING);
      return CompletableFuture.completedFuture(new Result(503, null, busy));
    }
    CompletionStage<Result> started = start(query, others, authorization, by);
    if (query.isShared()) {
      results.add(key, started);
    }
    return started;
  }

  /** Removes the shared results, because an operator's command has changed something. */
  public void onCommand() {
    results.clear();
    ownAnswers.clear();
  }

  private List<NodeStatus> others(Query query) {
    return currentNodes().stream()
        .filter(node -> !node.id().equals(source.node()) && query.concerns(node.id()))
        .toList();
  }

  private CompletionStage<Result> start(
      Query query, List<NodeStatus> others, String authorization, Operator by) {
    OwnAnswer own = ownAnswer(query.perNode(others.isEmpty()));
    List<CompletableFuture<NodeAnswer>> answers = new ArrayList<>();
    answers.add(own.answer);
    others.forEach(node -> answers.add(peers.ask(node, query, authorization)));
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApplyAsync(
            done -> {
              running.release(by.user(), 1);
              List<NodeAnswer> all = answers.stream().map(CompletableFuture::join).toList();
              return merged(query, all, own.atMs);
            },
            loop);
  }

  private OwnAnswer ownAnswer(Query query) {
    OwnAnswer shared = query.isShared() ? ownAnswers.find(query) : null;
    if (shared != null) {
      return shared;
    }
    OwnAnswer started = new OwnAnswer(local(query), System.currentTimeMillis());
    if (query.isShared()) {
      ownAnswers.add(query, started);
    }
    return started;
  }

  // Results may be large.
  private void sweep() {
    results.removeOld();
    ownAnswers.removeOld();
    currentNodes();
  }

  /** Returns the nodes of the cluster, and notices those that have left. */
  private List<NodeStatus> currentNodes() {
    List<NodeStatus> current = nodes.get();
    Stream<String> names = Stream.concat(current.stream().map(NodeStatus::id), Stream.of(node()));
    departed.update(names.collect(Collectors.toUnmodifiableSet()), System.currentTimeMillis());
    return current;
  }

  private void sample() {
    history.add(source.totals(), System.currentTimeMillis(), System.nanoTime());
  }

  /** Returns the tails of this node's topics. */
  public Tails tails(Vertx vertx, TailOptions options) {
    return new Tails(vertx, source, options);
  }

  /** Returns the name of this node. */
  public String node() {
    return source.node();
  }

  /** Returns the query of the overview. */
  public Query overview() {
    return new OverviewQuery(history, alertsUrl);
  }

  private CompletableFuture<NodeAnswer> local(Query query) {
    return query
        .ofNode(source)
        .toCompletableFuture()
        .copy()
        .orTimeout(PeerQueries.TIMEOUT_MS, TimeUnit.MILLISECONDS)
        .thenApply(json -> NodeAnswer.of(source.node(), json))
        .exceptionally(failure -> NodeAnswer.of(source.node(), failure, PeerQueries.TIMEOUT_MS));
  }

  private Result merged(Query query, List<NodeAnswer> answers, long atMs) {
    Query.Merge merge = query.merge();
    List<NodeAnswer> added = answers.stream().map(answer -> added(merge, answer)).toList();
    if (added.stream().noneMatch(NodeAnswer::isOk)) {
      return new Result(504, null, added.get(0).node() + ": " + added.get(0).error());
    }
    List<NodeAnswer> missing = added.stream().filter(answer -> !answer.isOk()).toList();
    merge.missing(missing.stream().map(NodeAnswer::node).toList());
    JsonObject result = merge.result();
    if (result == null) {
      return notFound(query, missing);
    }
    JsonArray states = new JsonArray();
    added.forEach(answer -> states.add(answer.state()));
    boolean partial = !missing.isEmpty();
    result.put(NODES, states).put(PARTIAL, partial).put(AT, atMs);
    return new Result(200, result.toBuffer(), null);
  }

  // A node that did not respond may have the object.
  private Result notFound(Query query, List<NodeAnswer> missing) {
    currentNodes();
    String problem = query.owner().isEmpty() ? null : departed.problem(query.owner());
    String text =
        "no node that responded has " + query.object() + (problem == null ? "" : "; " + problem);
    return missing.isEmpty()
        ? new Result(404, null, text)
        : new Result(
            504, null, text + "; " + missing.get(0).node() + ": " + missing.get(0).error());
  }

  /** Returns the answer, or an error if it cannot be merged. */
  private static NodeAnswer added(Query.Merge merge, NodeAnswer answer) {
    if (answer.json() == null) {
      return answer;
    }
    try {
      merge.add(withoutStates(answer.json()));
      return answer;
    } catch (ClassCastException | NullPointerException e) {
      return NodeAnswer.failed(answer.node(), "the response has an unexpected form");
    }
  }

  /** Returns a copy of the members that a merge reads, because the answer may be shared. */
  private static JsonObject withoutStates(JsonObject answer) {
    JsonObject members = new JsonObject(new LinkedHashMap<>(answer.getMap()));
    List.of(NODES, PARTIAL, AT).forEach(members::remove);
    return members;
  }
}
