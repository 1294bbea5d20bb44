package io.sluice.gateway.admin;

import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.protocol.ErrorCode;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Page {@code /durables}, which lists and deletes clients' durable subscriptions at the broker.
 * Bound to the admin event loop.
 */
final class DurablePages {
  static final int MAX_LISTED = 1000;
  private static final int DEFAULT_MAX = 100;

  private final Queues queues;
  private final AuditLog audit;
  private final DelayedResponses waits;

  /**
   * @param queues null without their module or a JMS broker
   */
  DurablePages(Vertx vertx, Queues queues, AuditLog audit) {
    this.queues = queues;
    this.audit = audit;
    this.waits = new DelayedResponses(vertx, "the broker has not responded");
  }

  /** Lists or deletes subscriptions, depending on the method. */
  void serve(HttpServerRequest request, Operator by) {
    try {
      if (queues == null) {
        String why = "requires a JMS broker and sluice-queues-*.jar on the class path";
        Responses.text(request, status(ErrorCode.UNSUPPORTED), why);
      } else if (request.method().equals(HttpMethod.DELETE)) {
        delete(request, by);
      } else {
        list(request);
      }
    } catch (IllegalArgumentException e) {
      Responses.text(request, 400, e.getMessage());
    }
  }

  private void list(HttpServerRequest request) {
    int max = (int) QueryParameters.number(request, "max", DEFAULT_MAX, 1, MAX_LISTED);
    Answer<List<DurableState>> answer = new Answer<>();
    // One more than requested shows whether there are more.
    queues.list(Requester.NODE, request.getParam("principal"), max + 1, answer);
    answer.then(request, waits, states -> Responses.json(request, 200, json(states, max)));
  }

  private static JsonObject json(List<DurableState> states, int max) {
    JsonArray listed = new JsonArray();
    states.stream().limit(max).forEach(state -> listed.add(json(state)));
    return new JsonObject().put("subscriptions", listed).put("more", states.size() > max);
  }

  private static JsonObject json(DurableState state) {
    JsonObject json =
        new JsonObject()
            .put("principal", state.subscription().principal())
            .put("topic", state.subscription().topic())
            .put("name", state.subscription().name());
    if (state.where() != null) {
      json.put("where", state.where());
    }
    putKnown(json, "messages", state.messages());
    putKnown(json, "consumers", state.consumers());
    return json;
  }

  private static void putKnown(JsonObject json, String name, long number) {
    if (number != DurableState.UNKNOWN) {
      json.put(name, number);
    }
  }

  private void delete(HttpServerRequest request, Operator by) {
    TopicSubscription subscription =
        new TopicSubscription(
            QueryParameters.required(request, "principal"),
            QueryParameters.required(request, "topic"),
            QueryParameters.required(request, "name"),
            true);
    Answer<Void> answer = new Answer<>();
    answer.result.thenAccept(result -> record(result, subscription, by)); // also after a timeout
    queues.delete(Requester.NODE, subscription, answer);
    answer.then(request, waits, done -> request.response().setStatusCode(204).end());
  }

  private void record(Result<Void> result, TopicSubscription deleted, Operator by) {
    if (result.code == null) {
      String value = deleted.principal() + " " + deleted.topic() + " " + deleted.name();
      audit.commanded("delete-durable", value, by);
    }
  }

  /** Result of the broker; the code is null if it is not a refusal. */
  private record Result<T>(T value, ErrorCode code, String why) {}

  /** Answer of the broker to one request. */
  private static final class Answer<T> implements ResultListener<T> {
    private final CompletableFuture<Result<T>> result = new CompletableFuture<>();

    @Override
    public void onResult(T value) {
      result.complete(new Result<>(value, null, null));
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      result.complete(new Result<>(null, code, why));
    }

    private void then(HttpServerRequest request, DelayedResponses waits, Consumer<T> success) {
      waits.answer(
          request,
          result,
          done -> {
            if (done.code == null) {
              success.accept(done.value);
            } else {
              Responses.text(request, status(done.code), done.why);
            }
          });
    }
  }

  private static int status(ErrorCode code) {
    return switch (code) {
      case FORBIDDEN -> 403;
      case UNKNOWN_SUBSCRIPTION -> 404;
      case SUBSCRIPTION_IN_USE -> 409;
      case UNSUPPORTED -> 501;
      default -> 503;
    };
  }
}
