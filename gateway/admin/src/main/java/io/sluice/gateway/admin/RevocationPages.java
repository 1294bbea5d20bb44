package io.sluice.gateway.admin;

import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.auth.Access;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.revocation.Revocation;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Page {@code /revocations}, which revokes credentials and closes sessions. Admin event loop. */
final class RevocationPages {
  static final int MAX_LISTED = 1000;
  private static final String PATH = AdminRoute.REVOCATIONS.path();
  private static final String NO_SUCH_PAGE =
      "no such page; there are " + PATH + "/token/ID, /certificate/SERIAL and /subject/NAME";

  /** Storage of the end of a session, which is not stored. */
  private static final CompletionStage<String> NOTHING_TO_STORE =
      CompletableFuture.completedStage("");

  private final Access access;
  private final NodeClients clients;
  private final DelayedResponses waits;

  RevocationPages(Vertx vertx, Access access, NodeClients clients) {
    this.access = access;
    this.clients = clients;
    this.waits = new DelayedResponses(vertx);
  }

  /** Lists or adds revocations, depending on the method. */
  void serve(HttpServerRequest request, Operator by) {
    if (Responses.isRead(request)) {
      list(request);
    } else {
      JsonBody.read(
          request,
          body -> revoke(request, RevocationOrder.parse(body, System.currentTimeMillis()), by));
    }
  }

  private void list(HttpServerRequest request) {
    JsonArray latest = new JsonArray();
    access.revocations().latest(MAX_LISTED).forEach(revocation -> latest.add(json(revocation)));
    JsonArray nodes = new JsonArray();
    access
        .revocations()
        .nodes()
        .forEach(
            (node, equal) -> nodes.add(new JsonObject().put("node", node).put("equal", equal)));
    JsonObject body =
        new JsonObject()
            .put("revocations", latest)
            .put("total", access.revocations().active())
            .put("nodes", nodes);
    Responses.json(request, 200, body);
  }

  private static JsonObject json(Revocation revocation) {
    return new JsonObject()
        .put(revocation.kind().word(), revocation.value())
        .put("since", revocation.sinceMs())
        .put("until", revocation.untilMs());
  }

  private void revoke(HttpServerRequest request, RevocationOrder order, Operator by) {
    Optional<Revocation.Kind> kind = kind(order.kind());
    if (kind.isPresent()
        && !access.revocations().add(kind.get(), order.value(), order.expiresMs())) {
      String full =
          "this node stores at most " + access.revocations().maxEntries() + " revocations";
      Responses.text(request, 507, full);
      return;
    }
    waits.answer(
        request,
        clients
            .revoke(revoked(kind, order.value()))
            .thenCombine(kind.isPresent() ? storageProblem() : NOTHING_TO_STORE, Revoked::new),
        revoked -> {
          access.audit().revoked(order.kind(), order.value(), by, revoked.closed());
          if (revoked.storageProblem().isEmpty()) {
            Responses.json(request, 200, new JsonObject().put("closed", revoked.closed()));
          } else {
            Responses.text(request, 500, revoked.storageProblem());
          }
        },
        () -> access.audit().revoked(order.kind(), order.value(), by, AuditLog.UNKNOWN));
  }

  /**
   * Outcome of a revocation.
   *
   * @param storageProblem reason why it would not survive a restart; empty if it would
   */
  private record Revoked(int closed, String storageProblem) {}

  private CompletionStage<String> storageProblem() {
    return access
        .revocations()
        .stored()
        .handle(
            (stored, failure) ->
                failure == null
                    ? ""
                    : "the change applies, but auth.revocations-file cannot be written: "
                        + failure);
  }

  /** Returns the predicate of the sessions to be closed. */
  private static Predicate<Peer> revoked(Optional<Revocation.Kind> kind, String value) {
    return kind.isPresent()
        ? peer -> kind.get().names(peer.principal(), value)
        : peer -> peer.session().equals(value);
  }

  /** Removes the revocation that the path identifies. */
  void restore(HttpServerRequest request, Operator by) {
    String path = request.path().substring(PATH.length() + 1);
    int slash = path.indexOf('/');
    Optional<Revocation.Kind> kind = slash < 0 ? Optional.empty() : kind(path.substring(0, slash));
    if (kind.isEmpty()) {
      Responses.text(request, 404, NO_SUCH_PAGE);
      return;
    }
    String value;
    try {
      value = decode(path.substring(slash + 1));
    } catch (IllegalArgumentException e) {
      Responses.text(request, 400, "the path is not percent-encoded correctly");
      return;
    }
    try {
      boolean isSerial = kind.get() == Revocation.Kind.CERTIFICATE;
      restore(request, kind.get(), isSerial ? RevocationOrder.serial(value) : value, by);
    } catch (IllegalArgumentException e) {
      Responses.text(request, 400, e.getMessage());
    }
  }

  private void restore(HttpServerRequest request, Revocation.Kind kind, String value, Operator by) {
    if (!access.revocations().remove(kind, value)) {
      Responses.text(request, 404, "this " + kind.word() + " is not revoked");
      return;
    }
    waits.answer(
        request,
        storageProblem(),
        problem -> {
          access.audit().restored(kind.word(), value, by);
          if (problem.isEmpty()) {
            request.response().setStatusCode(204).end();
          } else {
            Responses.text(request, 500, problem);
          }
        });
  }

  // In a path a plus sign is not an encoded space.
  private static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  private static Optional<Revocation.Kind> kind(String word) {
    return Stream.of(Revocation.Kind.values()).filter(kind -> kind.word().equals(word)).findFirst();
  }
}
