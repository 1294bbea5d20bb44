package io.sluice.gateway.admin;

import io.sluice.gateway.audit.AuditLog;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.limits.TokenBucket;
import io.vertx.core.http.HttpServerRequest;
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

  private final AdminOptions options;
  private final AuditLog audit;
  private final TokenBucket failures;
  private volatile AdminTokens tokens;

  /** Options with the settings of tokens, which a reload may have changed. */
  private AdminOptions source;

  private String failure = "";

  /** Result of an authorization. */
  sealed interface Verdict {}

  /** The request is permitted. */
  record Admitted(Operator operator) implements Verdict {}

  /**
   * The request is refused.
   *
   * @param why stable reason code
   * @param message error message of one line
   */
  record Refusal(int status, String why, String message) implements Verdict {}

  AdminGuard(AdminOptions options, AdminTokens tokens, AuditLog audit) {
    this.options = options;
    this.tokens = tokens;
    this.source = options;
    this.audit = audit;
    int rate = options.failuresPerSecond();
    this.failures = new TokenBucket(rate, rate, System.nanoTime());
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

  /** Checks the request of a route. */
  Verdict check(HttpServerRequest request, AdminRoute.Access access) {
    return switch (access) {
      case OPEN -> admitted(request, "");
      case METRICS -> checkMetrics(request);
      case COMMAND -> checkCommand(request);
    };
  }

  private Verdict checkMetrics(HttpServerRequest request) {
    AdminTokens known = tokens;
    if (options.metricsOpen() || (known.isEmpty() && AddressRange.isLoopback(options.host()))) {
      return admitted(request, "");
    }
    return known.isEmpty() ? refused(request, withoutTokens()) : checkToken(request, known);
  }

  private Verdict checkCommand(HttpServerRequest request) {
    AdminTokens known = tokens;
    if (!known.isEmpty()) {
      return checkToken(request, known);
    }
    return AddressRange.isLoopback(options.host())
        ? checkBrowser(request)
        : refused(request, withoutTokens());
  }

  private static Admitted admitted(HttpServerRequest request, String token) {
    return new Admitted(new Operator(Responses.peer(request), token));
  }

  private static Refusal withoutTokens() {
    String message = "forbidden: admin.token and admin.token-file are not configured";
    return new Refusal(403, "no-token-configured", message);
  }

  // Without tokens, only a web page in a browser on this machine could send a malicious request.
  private Verdict checkBrowser(HttpServerRequest request) {
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

  private Verdict checkToken(HttpServerRequest request, AdminTokens known) {
    String header = request.getHeader("Authorization");
    if (header == null || !header.toLowerCase(Locale.ROOT).startsWith(SCHEME)) {
      String message =
          "a header Authorization: Bearer with a token of admin.token-file is required";
      return refused(request, new Refusal(401, "no-token", message));
    }
    Optional<String> name = known.nameOf(header.substring(SCHEME.length()).strip());
    return name.isPresent()
        ? admitted(request, name.get())
        : refused(request, new Refusal(401, "wrong-token", "the token is invalid for this node"));
  }

  /**
   * Records a refusal in the audit log. Refusals above the rate limit receive status 429 and are
   * not recorded.
   */
  private Refusal refused(HttpServerRequest request, Refusal refusal) {
    if (!failures.take(System.nanoTime())) {
      return new Refusal(429, "too-many", "too many requests without a valid token");
    }
    Operator who = new Operator(Responses.peer(request), "");
    audit.adminRefused(request.method() + " " + request.path(), who, refusal.why());
    return refusal;
  }
}
