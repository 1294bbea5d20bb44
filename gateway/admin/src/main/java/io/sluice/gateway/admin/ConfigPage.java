package io.sluice.gateway.admin;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Page {@code /config}: the configuration of the running node. Admin event loop. */
final class ConfigPage {
  private final Vertx vertx;
  private final EffectiveConfig config;

  ConfigPage(Vertx vertx, EffectiveConfig config) {
    this.vertx = vertx;
    this.config = config;
  }

  void serve(HttpServerRequest request) {
    vertx
        .executeBlocking(config::keys)
        .onSuccess(keys -> Responses.json(request, 200, json(keys)))
        .onFailure(
            cause -> Responses.text(request, 500, "the configuration cannot be read: " + cause));
  }

  private static JsonObject json(List<EffectiveConfig.Key> keys) {
    JsonArray all = new JsonArray();
    keys.forEach(
        key ->
            all.add(
                new JsonObject()
                    .put("key", key.key())
                    .put("value", key.value())
                    .put("origin", key.origin())
                    .put("pending", key.pending())));
    return new JsonObject().put("keys", all);
  }
}
