package io.sluice.gateway.admin;

import io.sluice.gateway.admin.query.ClientQuery;
import io.sluice.gateway.admin.query.ClientsQuery;
import io.sluice.gateway.admin.query.Queries;
import io.sluice.gateway.admin.query.Query;
import io.sluice.gateway.admin.query.QueryInput;
import io.sluice.gateway.admin.query.QueryWords;
import io.sluice.gateway.admin.query.Tails;
import io.sluice.gateway.admin.query.TopicQuery;
import io.sluice.gateway.admin.query.TopicsQuery;
import io.sluice.gateway.admin.why.WhyQuery;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.Operator;
import io.vertx.core.http.HttpServerRequest;

/** Pages of queries of topics and clients. Bound to the admin event loop. */
final class QueryPages {
  private final Queries queries;
  private final Tails tails;
  private final AuditLog audit;

  QueryPages(Queries queries, Tails tails, AuditLog audit) {
    this.queries = queries;
    this.tails = tails;
    this.audit = audit;
  }

  /** Ends all tails, because a token is no longer valid. */
  void endTails() {
    tails.endAll("a token of operators is no longer valid");
  }

  /**
   * Starts to send the messages of a topic.
   *
   * @param expiresMs expiry of the operator's credential, which ends it; Unix milliseconds
   */
  void serveTail(HttpServerRequest request, Operator by, long expiresMs) {
    try {
      String topic = QueryInput.decoded(AdminRoute.TAIL.parameter(request.path()));
      tails
          .open(topic, request.response(), expiresMs)
          .thenAccept(refusal -> onTail(request, topic, refusal, by));
    } catch (IllegalArgumentException e) {
      Responses.text(request, 400, e.getMessage());
    }
  }

  private void onTail(
      HttpServerRequest request, String topic, Queries.Result refusal, Operator by) {
    if (refusal == null) {
      audit.commanded("tail", topic, by);
    } else {
      send(request, refusal);
    }
  }

  /** Answers the query of a route. */
  void serve(AdminRoute route, HttpServerRequest request, Operator by) {
    QueryInput parameters = new QueryInput(request::getParam);
    try {
      queries
          .answer(
              query(route, request, parameters), parameters, request.getHeader("Authorization"), by)
          .thenAccept(result -> send(request, result));
    } catch (IllegalArgumentException e) {
      Responses.text(request, 400, e.getMessage());
    }
  }

  private Query query(AdminRoute route, HttpServerRequest request, QueryInput parameters) {
    return switch (route) {
      case TOPICS ->
          new TopicsQuery(parameters.page(QueryWords.TOPIC_ORDERS), parameters.topicKind());
      case TOPIC -> new TopicQuery(QueryInput.decoded(route.parameter(request.path())));
      case CLIENTS -> new ClientsQuery(parameters.page(QueryWords.CLIENT_ORDERS));
      case CLIENT -> new ClientQuery(QueryInput.decoded(route.parameter(request.path())));
      case AUDIT -> parameters.audit(audit);
      case OVERVIEW -> queries.overview();
      case WHY -> new WhyQuery(parameters.required("subject"), parameters.required("topic"), audit);
      default -> throw new IllegalStateException("no query: " + route);
    };
  }

  /** Sends the result of a query. */
  static void send(HttpServerRequest request, Queries.Result result) {
    if (result.json() == null) {
      Responses.text(request, result.status(), result.error());
    } else {
      Responses.json(request, result.status(), result.json());
    }
  }
}
