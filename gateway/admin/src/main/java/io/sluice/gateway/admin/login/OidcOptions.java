package io.sluice.gateway.admin.login;

import io.sluice.gateway.auth.AuthOptions;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.Config;
import java.util.List;

/**
 * Options of the login by OpenID Connect. Immutable, for any thread.
 *
 * @param issuer issuer of the tokens; empty if no issuer is configured
 * @param clientId client id of the console at the issuer
 * @param scopes scopes that the console requests
 * @param roleClaim claim with a user's roles
 * @param roles roles of operators
 * @param tokens verification of the tokens
 */
public record OidcOptions(
    String issuer,
    String clientId,
    List<String> scopes,
    String roleClaim,
    List<String> roles,
    AuthOptions tokens) {
  /** Returns the options of a configuration; values may be invalid. */
  public static OidcOptions of(Config config) {
    return new OidcOptions(
        config.get(AdminSettings.OIDC_ISSUER),
        config.get(AdminSettings.OIDC_CLIENT_ID),
        config.get(AdminSettings.OIDC_SCOPES),
        config.get(AdminSettings.OIDC_ROLE_CLAIM),
        config.get(AdminSettings.OIDC_ROLES),
        AuthOptions.ofOperators(config));
  }
}
