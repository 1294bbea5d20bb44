package io.sluice.gateway.auth;

import io.sluice.gateway.auth.IssuerClient.UnusableAnswer;
import io.sluice.gateway.config.ServiceUrl;
import java.net.URI;
import java.util.Map;
import org.jose4j.lang.JoseException;

/**
 * Endpoints in an issuer's discovery document (OpenID Connect Discovery). Immutable, for any
 * thread.
 *
 * @param jwks URL of the JWKS
 * @param authorization authorization endpoint; null if absent or invalid, like the following ones
 * @param token token endpoint
 * @param endSession endpoint that ends the user's session at the issuer
 * @param revocation endpoint that revokes refresh tokens
 */
public record IssuerMetadata(
    URI jwks, URI authorization, URI token, URI endSession, URI revocation) {
  private static final String DOCUMENT = "/.well-known/openid-configuration";

  /** Returns the URL of the discovery document of an issuer. */
  static URI url(String issuer) {
    return URI.create(issuer.replaceFirst("/$", "") + DOCUMENT);
  }

  /**
   * Reads a discovery document. It must name the expected issuer, otherwise one issuer could
   * impersonate another.
   *
   * @param plainHttp whether endpoints may have http URLs
   * @throws UnusableAnswer if it has another issuer, or no usable JWKS
   */
  static IssuerMetadata read(String document, String issuer, boolean plainHttp) {
    URI place = url(issuer);
    Map<String, Object> members;
    try {
      members = Json.object(document);
    } catch (JoseException e) {
      throw new UnusableAnswer(place + " does not return a JSON object", e);
    }
    if (!issuer.equals(members.get("issuer"))) {
      throw new UnusableAnswer(place + " names another issuer", null);
    }
    if (!(members.get("jwks_uri") instanceof String jwks)) {
      throw new UnusableAnswer(place + " has no jwks_uri", null);
    }
    String problem = ServiceUrl.issuerProblem(jwks, plainHttp);
    if (problem != null) {
      throw new UnusableAnswer("jwks_uri of " + place + ": " + problem, null);
    }
    return new IssuerMetadata(
        URI.create(jwks),
        endpoint(members.get("authorization_endpoint"), plainHttp),
        endpoint(members.get("token_endpoint"), plainHttp),
        endpoint(members.get("end_session_endpoint"), plainHttp),
        endpoint(members.get("revocation_endpoint"), plainHttp));
  }

  // Only logins of operators need these endpoints, so an invalid one does not invalidate the keys.
  private static URI endpoint(Object url, boolean plainHttp) {
    return url instanceof String text && ServiceUrl.issuerProblem(text, plainHttp) == null
        ? URI.create(text)
        : null;
  }
}
