package io.sluice.gateway.admin.query;

import io.sluice.gateway.query.NodeStatus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Client of the other nodes' admin ports. It sends the operator's own token, to nodes of the
 * cluster only. Bound to the admin event loop.
 */
final class PeerQueries {
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int MAX_CONNECTIONS = 8;

  /** Time for the answer of a node. */
  static final int TIMEOUT_MS = 2_000;

  /** Maximum size of an answer. */
  private static final long MAX_BYTES = 8L << 20;

  private final QueryOptions options;
  private final AdminPortTrust trust;
  private final HttpClient http;

  PeerQueries(Vertx vertx, QueryOptions options) {
    this.options = options;
    this.trust = new AdminPortTrust(options.authorities());
    HttpClientOptions client = new HttpClientOptions().setConnectTimeout(TIMEOUT_MS);
    trust.secure(client, vertx.fileSystem());
    this.http = vertx.createHttpClient(client, new PoolOptions().setHttp1MaxSize(MAX_CONNECTIONS));
  }

  /**
   * Sends a query to a node. The result never fails.
   *
   * @param authorization header of the operator's request, or null
   */
  CompletableFuture<NodeAnswer> ask(NodeStatus node, Query query, String authorization) {
    String problem = urlProblem(node.adminUrl());
    if (problem != null) {
      return CompletableFuture.completedFuture(NodeAnswer.failed(node.id(), problem));
    }
    RequestOptions request = request(node, query, authorization);
    return http.request(request)
        .compose(opened -> query.command() == null ? opened.send() : opened.send(query.command()))
        .compose(response -> answer(node.id(), response))
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(TIMEOUT_MS, TimeUnit.MILLISECONDS)
        .exceptionally(failure -> failed(node, failure));
  }

  private NodeAnswer failed(NodeStatus node, Throwable failure) {
    String problem = trust.problem(failure);
    return problem == null
        ? NodeAnswer.of(node.id(), failure, TIMEOUT_MS)
        : NodeAnswer.failed(node.id(), node.adminUrl() + ": " + problem);
  }

  private String urlProblem(String adminUrl) {
    if (adminUrl.isEmpty()) {
      return "cluster.admin-url of the node is not set";
    }
    if (!isUrl(adminUrl)) {
      return "cluster.admin-url of the node is not a URL of http or https";
    }
    return options.requiresTls() && !adminUrl.startsWith("https:")
        ? "its admin port " + adminUrl + " has no TLS, so the token is not sent"
        : null;
  }

  // Another node may have another version, so its URL is checked again.
  private static boolean isUrl(String text) {
    try {
      URI url = URI.create(text);
      return url.getHost() != null
          && ("http".equals(url.getScheme()) || "https".equals(url.getScheme()));
    } catch (IllegalArgumentException malformed) {
      return false;
    }
  }

  private RequestOptions request(NodeStatus node, Query query, String authorization) {
    RequestOptions request =
        new RequestOptions()
            .setMethod(query.command() == null ? HttpMethod.GET : HttpMethod.POST)
            .setAbsoluteURI(URI.create(node.adminUrl()).resolve(query.forNode()).toString())
            .setTimeout(TIMEOUT_MS);
    if (query.command() != null) {
      request.putHeader("Content-Type", "application/json");
      request.putHeader(ClientAction.OPERATOR_HEADER, query.operator());
    }
    return authorization == null ? request : request.putHeader("Authorization", authorization);
  }

  private Future<NodeAnswer> answer(String node, HttpClientResponse response) {
    int status = response.statusCode();
    return BoundedBody.read(response, MAX_BYTES).map(body -> parsed(node, status, body));
  }

  private static NodeAnswer parsed(String node, int status, Buffer body) {
    if (status == NOT_FOUND) {
      return NodeAnswer.of(node, (JsonObject) null);
    }
    if (status != OK) {
      return NodeAnswer.failed(node, "status " + status + ": " + body.toString().strip());
    }
    try {
      JsonObject json = body.toJsonObject();
      String answered = json.getJsonArray("nodes").getJsonObject(0).getString("node");
      return node.equals(answered)
          ? NodeAnswer.of(node, json)
          : NodeAnswer.failed(node, "its cluster.admin-url is that of node " + answered);
    } catch (DecodeException | ClassCastException | NullPointerException e) {
      return NodeAnswer.failed(node, "the response is not that of a node's admin port");
    }
  }
}
