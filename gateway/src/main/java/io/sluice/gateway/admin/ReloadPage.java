package io.sluice.gateway.admin;

import io.sluice.gateway.audit.Operator;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Page {@code /reload}, which applies the changed configuration file. Admin event loop. */
final class ReloadPage {
  private static final Logger log = LoggerFactory.getLogger(ReloadPage.class);

  private final Vertx vertx;
  private final ConfigReload reload;

  ReloadPage(Vertx vertx, ConfigReload reload) {
    this.vertx = vertx;
    this.reload = reload;
  }

  void serve(HttpServerRequest request, Operator by) {
    vertx
        .executeBlocking(() -> reload.reload(by))
        .onSuccess(outcome -> answer(request, outcome))
        .onFailure(cause -> onFailure(request, cause));
  }

  private void answer(HttpServerRequest request, ConfigReload.Outcome outcome) {
    if (outcome == null) {
      Responses.text(request, 409, "this node was started without a configuration file");
    } else if (outcome.problems().isEmpty()) {
      Responses.json(request, 200, changes(outcome));
    } else {
      JsonArray problems = new JsonArray(outcome.problems());
      Responses.json(request, 422, new JsonObject().put("problems", problems));
    }
  }

  private static JsonObject changes(ConfigReload.Outcome outcome) {
    JsonObject reasons = new JsonObject();
    outcome.restart().forEach(reasons::put);
    return new JsonObject()
        .put("applied", new JsonArray(outcome.applied()))
        .put("restart", new JsonArray(List.copyOf(outcome.restart().keySet())))
        .put("reasons", reasons);
  }

  private static void onFailure(HttpServerRequest request, Throwable cause) {
    log.atError().setCause(cause).log("admin.reload-failed");
    Responses.text(request, 500, "the configuration cannot be reloaded: " + cause);
  }
}
