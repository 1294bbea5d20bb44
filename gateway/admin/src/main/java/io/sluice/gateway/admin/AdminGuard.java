package io.sluice.gateway.admin;

import io.sluice.gateway.admin.login.OidcLogin;
import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.auth.AuthenticationFailure;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.limits.TokenBucket;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.HostAndPort;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authorization of requests to the admin port. Bound to its event loop, except {@link #reload}.
 *
 * <p>A valid token is always accepted. If invalid ones could cause a lockout, any client of the
 * port could prevent the operator from revoking credentials.
 */
final class AdminGuard {
  private static final Logger log = LoggerFactory.getLogger(AdminGuard.class);
  private static final String SCHEME = "bearer ";

  /** Invalid tokens per second that are answered with 401; others with 429. */
  private static final int FAILURE_RATE = 10;

  private static final String INVALID = "the token is invalid for this node";

  private final AdminOptions options;
  private final OidcLogin oidc;
  private final AuditLog audit;
  private final TokenBucket failures;
  private volatile AdminTokens tokens;

  /** Options with the settings of tokens, which a reload may have changed. */
  private AdminOptions source;

  private String failure = "";

  /** Result of an authorization. */
  sealed interface Verdict {}

  /**
   * The request is permitted.
   *
   * @param expiresMs expiry of the credential, Unix milliseconds, or {@link Principal#NEVER}
   */
  record Admitted(Operator operator, long expiresMs) implements Verdict {}

  /**
   * The request is refused.
   *
   * @param why stable reason code
   * @param message error message of one line
   */
  record Refusal(int status, String why, String message) implements Verdict {}

  /**
   * @param oidc login by OpenID Connect; null without one
   */
  AdminGuard(AdminOptions options, AdminTokens tokens, OidcLogin oidc, AuditLog audit) {
    this.options = options;
    this.tokens = tokens;
    this.source = options;
    this.oidc = oidc;
    this.audit = audit;
    this.failures = new TokenBucket(FAILURE_RATE, FAILURE_RATE, System.nanoTime());
  }

  /**
   * Reads the tokens again, and retains the current ones if that fails. Blocks.
   *
   * @return whether a former token is no longer valid
   */
  synchronized boolean reload() {
    try {
      AdminTokens former = tokens;
      tokens = AdminTokens.read(source);
      failure = "";
      return former.isWithdrawnBy(tokens);
    } catch (AdminTokens.Unusable e) {
      if (!e.getMessage().equals(failure)) {
        failure = e.getMessage();
        log.atWarn().addKeyValue("cause", failure).log("admin.token-unusable");
      }
      return false;
    }
  }

  /** Reads the tokens of other settings; otherwise like {@link #reload()}. */
  synchronized boolean reload(AdminOptions next) {
    source = next;
    return reload();
  }

  /** Returns the login methods of operators, which are no secret. */
  JsonObject logins() {
    JsonArray methods = new JsonArray();
    if (!tokens.isEmpty()) {
      methods.add("token");
    }
    if (oidc != null) {
      methods.add("oidc");
    }
    boolean required = hasLogin() || !AddressRange.isLoopback(options.host());
    JsonObject json = new JsonObject().put("required", required).put("methods", methods);
    return oidc == null ? json : json.put("oidc", oidc.client());
  }

  private boolean hasLogin() {
    return oidc != null || !tokens.isEmpty();
  }

  /**
   * Checks the request of a route. The request is paused if the result is not available at once.
   *
   * @return never fails
   */
  Future<Verdict> check(HttpServerRequest request, AdminRoute.Access access) {
    return switch (access) {
      case OPEN -> admitted(request, "");
      case METRICS -> checkMetrics(request);
      case COMMAND -> checkCommand(request);
    };
  }

  private Future<Verdict> checkMetrics(HttpServerRequest request) {
    if (options.metricsOpen() || (!hasLogin() && AddressRange.isLoopback(options.host()))) {
      return admitted(request, "");
    }
    return hasLogin() ? checkToken(request) : refused(request, withoutLogin());
  }

  private Future<Verdict> checkCommand(HttpServerRequest request) {
    if (hasLogin()) {
      return checkToken(request);
    }
    return AddressRange.isLoopback(options.host())
        ? checkBrowser(request)
        : refused(request, withoutLogin());
  }

  private static Future<Verdict> admitted(HttpServerRequest request, String credential) {
    return admitted(request, credential, Principal.NEVER);
  }

  private static Future<Verdict> admitted(
      HttpServerRequest request, String credential, long expiresMs) {
    Operator operator = new Operator(Responses.peer(request), credential);
    return Future.succeededFuture(new Admitted(operator, expiresMs));
  }

  private static Refusal withoutLogin() {
    String message =
        "forbidden: admin.token, admin.token-file and admin.oidc.issuer are not configured";
    return new Refusal(403, "no-token-configured", message);
  }

  // Without a login, only a web page in a browser on this machine could send a malicious request.
  private Future<Verdict> checkBrowser(HttpServerRequest request) {
    if (isOfWebPage(request) && !(options.console() && isOfConsole(request))) {
      return refused(request, new Refusal(403, "origin", "requests of web pages are not allowed"));
    }
    HostAndPort authority = request.authority();
    boolean known =
        authority != null
            && (AddressRange.isLoopback(authority.host())
                || authority.host().equalsIgnoreCase(options.host()));
    return known
        ? admitted(request, "")
        : refused(
            request,
            new Refusal(
                403, "host", "the Host header is neither a loopback address nor admin.host"));
  }

  private static boolean isOfWebPage(HttpServerRequest request) {
    String site = request.getHeader("Sec-Fetch-Site");
    return request.getHeader("Origin") != null || (site != null && !site.equals("none"));
  }

  // The console is the only page of this origin. The check of the Host header still follows, since
  // a page with a rebound DNS name has the same origin.
  private static boolean isOfConsole(HttpServerRequest request) {
    String site = request.getHeader("Sec-Fetch-Site");
    String origin = request.getHeader("Origin");
    String expected = request.scheme() + "://" + request.authority();
    return (site == null || site.equals("same-origin"))
        && (origin == null || origin.equals(expected));
  }

  private Future<Verdict> checkToken(HttpServerRequest request) {
    String header = request.getHeader("Authorization");
    if (header == null || !header.toLowerCase(Locale.ROOT).startsWith(SCHEME)) {
      String message = "a header Authorization: Bearer with the token of an operator is required";
      return refused(request, new Refusal(401, "no-token", message));
    }
    String token = header.substring(SCHEME.length()).strip();
    Optional<String> name = tokens.nameOf(token);
    if (name.isPresent()) {
      return admitted(request, name.get());
    }
    return oidc == null
        ? refused(request, new Refusal(401, "wrong-token", INVALID))
        : checkJwt(request, token);
  }

  private Future<Verdict> checkJwt(HttpServerRequest request, String token) {
    request.pause();
    return Future.fromCompletionStage(
            oidc.authenticate(token, Responses.peer(request)), Vertx.currentContext())
        .compose(user -> checkRole(request, user))
        .recover(failure -> refused(request, failure));
  }

  private Future<Verdict> checkRole(HttpServerRequest request, Principal user) {
    return oidc.isOperator(user)
        ? admitted(request, credential(user), user.expiresMs())
        : refused(request, new Refusal(403, "no-role", oidc.missingRole(user)), credential(user));
  }

  /** Returns the name of a user's credential in the audit log. */
  private static String credential(Principal user) {
    return user.name().isEmpty() ? "" : "oidc:" + user.name();
  }

  private Future<Verdict> refused(HttpServerRequest request, Throwable failed) {
    Throwable cause = AuthenticationFailure.unwrapped(failed);
    if (!(cause instanceof AuthenticationFailure refusal)) {
      log.atError().setCause(cause).log("admin.check-failed");
      String message = "the token could not be checked: " + cause;
      return Future.succeededFuture(new Refusal(500, "error", message));
    }
    String message = INVALID + ": " + refusal.getMessage();
    return switch (refusal.reason()) {
      case UNAVAILABLE ->
          Future.succeededFuture(new Refusal(503, "unavailable", refusal.getMessage()));
      case EXPIRED, REVOKED ->
          refused(
              request,
              new Refusal(401, refusal.reason().word() + "-token", message),
              credential(refusal.owner()));
      default ->
          refused(request, new Refusal(401, "wrong-token", message), credential(refusal.owner()));
    };
  }

  private Future<Verdict> refused(HttpServerRequest request, Refusal refusal) {
    return refused(request, refusal, "");
  }

  /**
   * Records a refusal in the audit log. Refusals above the rate limit receive status 429 and are
   * not recorded.
   *
   * @param credential name of a credential that is authentic but not sufficient; empty otherwise
   */
  private Future<Verdict> refused(HttpServerRequest request, Refusal refusal, String credential) {
    if (!failures.take(System.nanoTime())) {
      return Future.succeededFuture(
          new Refusal(429, "too-many", "too many requests without a valid token"));
    }
    Operator who = new Operator(Responses.peer(request), credential);
    audit.adminRefused(request.method() + " " + request.path(), who, refusal.why());
    return Future.succeededFuture(refusal);
  }
}
