package io.sluice.gateway.admin.login;

import io.sluice.gateway.auth.Authentication;
import io.sluice.gateway.auth.Claims;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.IssuerMetadata;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.auth.UnusableAuth;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.revocation.Revocations;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * Login of operators by JWTs of an OpenID Connect issuer. For any thread; never blocks.
 *
 * <p>The console sends the ID token, whose audience is its client id. Each node verifies it, so a
 * query that is forwarded with the token needs no trust between nodes.
 */
public final class OidcLogin implements AutoCloseable {
  private final OidcOptions options;
  private final Authentication authentication;

  private OidcLogin(OidcOptions options, Authentication authentication) {
    this.options = options;
    this.authentication = authentication;
  }

  /**
   * Starts to fetch the keys of the configured issuer.
   *
   * @param revocations revocations, which apply to tokens of operators too
   * @return empty if no issuer is configured
   */
  public static Optional<OidcLogin> open(OidcOptions options, Revocations revocations)
      throws UnusableAuth {
    if (options.issuer().isEmpty()) {
      return Optional.empty();
    }
    Authentication authentication = Authentication.open(options.tokens(), revocations);
    return Optional.of(new OidcLogin(options, authentication));
  }

  /**
   * Verifies a token, but not the roles of its user.
   *
   * @param address of the sender
   * @return completed on any thread; fails with {@link
   *     io.sluice.gateway.auth.AuthenticationFailure} only
   */
  public CompletionStage<Principal> authenticate(String token, String address) {
    return authentication.authenticate(new Credential.Token(token), AddressRange.network(address));
  }

  /** Returns whether a user has a role of operators. */
  public boolean isOperator(Principal user) {
    Claims claims = new Claims(user);
    return options.roles().stream().anyMatch(role -> claims.hasValue(options.roleClaim(), role));
  }

  /** Returns the error message for a user without a role of operators. */
  public String missingRole(Principal user) {
    return user.name()
        + " is not an operator: no role of admin.oidc.roles is in the claim "
        + options.roleClaim();
  }

  /** Returns the number of failed requests to the issuer so far. */
  public long issuerFailures() {
    return authentication.issuerFailures();
  }

  /**
   * Returns the public data with which the console obtains a token. Without the endpoints, the
   * issuer has not responded yet or has none.
   */
  public JsonObject client() {
    JsonObject json =
        new JsonObject()
            .put("issuer", options.issuer())
            .put("client-id", options.clientId())
            .put("scope", String.join(" ", options.scopes()));
    IssuerMetadata found = authentication.issuerMetadata();
    if (found != null && found.authorization() != null && found.token() != null) {
      json.put("authorization-endpoint", found.authorization().toString())
          .put("token-endpoint", found.token().toString());
      putIfPresent(json, "end-session-endpoint", found.endSession());
      putIfPresent(json, "revocation-endpoint", found.revocation());
    }
    return json;
  }

  private static void putIfPresent(JsonObject json, String name, URI endpoint) {
    if (endpoint != null) {
      json.put(name, endpoint.toString());
    }
  }

  /**
   * Returns the origins to which the console sends requests. The authorization endpoint is not one
   * of them, because the browser navigates there.
   */
  public List<String> origins() {
    IssuerMetadata found = authentication.issuerMetadata();
    return found == null || found.token() == null
        ? List.of()
        : Stream.of(found.token(), found.revocation())
            .filter(Objects::nonNull)
            .map(OidcLogin::origin)
            .distinct()
            .toList();
  }

  private static String origin(URI url) {
    String origin = url.getScheme() + "://" + url.getHost();
    return url.getPort() < 0 ? origin : origin + ":" + url.getPort();
  }

  @Override
  public void close() {
    authentication.close();
  }
}
