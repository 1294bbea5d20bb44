package io.sluice.gateway.admin;

import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.query.PermissionLoss;
import io.sluice.gateway.query.ReloadOutcome;
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

  private static final String DRY_RUN = "dryRun";

  /** Maximum patterns of an operation, and uses, that are listed of one session. */
  private static final int MAX_LISTED = 20;

  private final Vertx vertx;
  private final ConfigReload reload;

  ReloadPage(Vertx vertx, ConfigReload reload) {
    this.vertx = vertx;
    this.reload = reload;
  }

  void serve(HttpServerRequest request, Operator by) {
    String dryRun = request.getParam(DRY_RUN, "false");
    if (dryRun.equals("true")) {
      vertx
          .executeBlocking(reload::preview)
          .onSuccess(preview -> answer(request, preview))
          .onFailure(cause -> onFailure(request, cause));
    } else if (dryRun.equals("false")) {
      vertx
          .executeBlocking(() -> reload.reload(by))
          .onSuccess(outcome -> answer(request, outcome, new JsonObject()))
          .onFailure(cause -> onFailure(request, cause));
    } else {
      Responses.text(request, 400, DRY_RUN + " is not true or false");
    }
  }

  private void answer(HttpServerRequest request, ReloadOutcome.Preview preview) {
    if (preview == null) {
      answer(request, null, null);
    } else {
      answer(request, preview.outcome(), losses(preview.losses()));
    }
  }

  /**
   * Answers with an outcome.
   *
   * @param outcome null if the node was started without a file
   * @param further members of a successful answer
   */
  private static void answer(HttpServerRequest request, ReloadOutcome outcome, JsonObject further) {
    if (outcome == null) {
      Responses.text(request, 409, "this node was started without a configuration file");
    } else if (outcome.problems().isEmpty()) {
      Responses.json(request, 200, changes(outcome).mergeIn(further));
    } else {
      JsonArray problems = new JsonArray(outcome.problems());
      Responses.json(request, 422, new JsonObject().put("problems", problems));
    }
  }

  private static JsonObject changes(ReloadOutcome outcome) {
    JsonObject reasons = new JsonObject();
    outcome.restart().forEach(reasons::put);
    return new JsonObject()
        .put("applied", new JsonArray(outcome.applied()))
        .put("restart", new JsonArray(List.copyOf(outcome.restart().keySet())))
        .put("reasons", reasons);
  }

  private static JsonObject losses(ReloadOutcome.Losses losses) {
    JsonArray sessions = new JsonArray();
    losses.first().forEach(each -> sessions.add(json(each)));
    return new JsonObject()
        .put("losing", losses.sessions())
        .put("sessions", sessions)
        .put("claims", new JsonArray(losses.claims()));
  }

  private static JsonObject json(PermissionLoss loss) {
    JsonObject lost = new JsonObject();
    int[] more = new int[1];
    loss.permissions().forEach((operation, patterns) -> lost.put(operation, first(patterns, more)));
    JsonObject json = new JsonObject().put("session", loss.session());
    if (!loss.subject().isEmpty()) {
      json.put("subject", loss.subject());
    }
    return json.put("mechanism", loss.mechanism())
        .put("address", loss.address())
        .put("closes", loss.closes())
        .put("lost", lost)
        .put("ends", first(loss.ends(), more))
        .put("more", more[0]);
  }

  /**
   * Returns the first texts.
   *
   * @param more receives the number of further ones
   */
  private static JsonArray first(List<String> texts, int[] more) {
    more[0] += Math.max(0, texts.size() - MAX_LISTED);
    return new JsonArray(texts.stream().limit(MAX_LISTED).toList());
  }

  private static void onFailure(HttpServerRequest request, Throwable cause) {
    log.atError().setCause(cause).log("admin.reload-failed");
    Responses.text(request, 500, "the configuration cannot be reloaded: " + cause);
  }
}
