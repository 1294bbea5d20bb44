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
 * Decides who may see and do what on the admin port. Bound to its event loop, but for {@link
 * #reload}.
 *
 * <p>A token that is right is always let in: if wrong ones could lock it out, whoever reaches the
 * port could keep the operator from revoking anything.
 */
final class AdminGuard {
  private static final Logger log = LoggerFactory.getLogger(AdminGuard.class);
  private static final String SCHEME = "bearer ";

  private final AdminOptions options;
  private final AuditLog audit;
  private final TokenBucket failures;
  private volatile AdminTokens tokens;
  private String trouble = "";

  /** Whether somebody is answered. */
  sealed interface Verdict {}

  /** It is answered. */
  record Admitted(Operator operator) implements Verdict {}

  /**
   * It is not.
   *
   * @param why a word that stays
   * @param message one line for people
   */
  record Refusal(int status, String why, String message) implements Verdict {}

  AdminGuard(AdminOptions options, AdminTokens tokens, AuditLog audit) {
    this.options = options;
    this.tokens = tokens;
    this.audit = audit;
    int rate = options.failuresPerSecond();
    this.failures = new TokenBucket(rate, rate, System.nanoTime());
  }

  /**
   * Reads the tokens again; keeps those that it has if that fails. Blocks; one thread at a time.
   */
  void reload() {
    try {
      tokens = AdminTokens.read(options);
      trouble = "";
    } catch (AdminTokens.Unusable e) {
      if (!e.getMessage().equals(trouble)) {
        trouble = e.getMessage();
        log.atWarn().addKeyValue("cause", trouble).log("admin.token-unusable");
      }
    }
  }

  /** Whether somebody may see the metrics. */
  Verdict checkMetrics(HttpServerRequest request) {
    AdminTokens known = tokens;
    if (options.metricsOpen() || (known.isEmpty() && AddressRange.isLoopback(options.host()))) {
      return admitted(request, "");
    }
    return known.isEmpty() ? told(request, withoutTokens()) : checkToken(request, known);
  }

  /** Whether somebody may see or change what clients do. */
  Verdict checkCommand(HttpServerRequest request) {
    AdminTokens known = tokens;
    if (!known.isEmpty()) {
      return checkToken(request, known);
    }
    return AddressRange.isLoopback(options.host())
        ? checkBrowser(request)
        : told(request, withoutTokens());
  }

  private static Admitted admitted(HttpServerRequest request, String token) {
    return new Admitted(new Operator(Answers.peer(request), token));
  }

  private static Refusal withoutTokens() {
    String message = "nobody may do this: the node has no admin.token or admin.token-file";
    return new Refusal(403, "no-token-configured", message);
  }

  // Without a token the only enemy is a web page in a browser on this machine.
  private Verdict checkBrowser(HttpServerRequest request) {
    String site = request.getHeader("Sec-Fetch-Site");
    if (request.getHeader("Origin") != null || (site != null && !site.equals("none"))) {
      return told(request, new Refusal(403, "origin", "web pages may not do this"));
    }
    HostAndPort asked = request.authority();
    boolean known =
        asked != null
            && (AddressRange.isLoopback(asked.host())
                || asked.host().equalsIgnoreCase(options.host()));
    return known
        ? admitted(request, "")
        : told(request, new Refusal(403, "host", "the Host header does not name this machine"));
  }

  private Verdict checkToken(HttpServerRequest request, AdminTokens known) {
    String shown = request.getHeader("Authorization");
    if (shown == null || !shown.toLowerCase(Locale.ROOT).startsWith(SCHEME)) {
      String message = "this needs Authorization: Bearer and a token of admin.token-file";
      return told(request, new Refusal(401, "no-token", message));
    }
    Optional<String> name = known.nameOf(shown.substring(SCHEME.length()).strip());
    return name.isPresent()
        ? admitted(request, name.get())
        : told(request, new Refusal(401, "wrong-token", "the token is not one of this node"));
  }

  /**
   * Remembers refusals as fast as the rate allows; what comes faster is only told to come later.
   */
  private Refusal told(HttpServerRequest request, Refusal refusal) {
    if (!failures.take(System.nanoTime())) {
      return new Refusal(429, "too-many", "too many requests without a right token");
    }
    Operator who = new Operator(Answers.peer(request), "");
    audit.adminRefused(request.method() + " " + request.path(), who, refusal.why());
    return refusal;
  }
}
