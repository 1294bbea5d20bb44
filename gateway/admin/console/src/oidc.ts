/** Login by OpenID Connect: authorization code with PKCE, as a public client (RFC 6749, 7636). */
import * as oauth from "oauth4webapi";
import { clearToken, setToken, tokenExpiry } from "./api.js";
import type { OidcClient } from "./model.js";
import { replace } from "./router.js";

const PENDING = "sluice-login";
const CALLBACK = "callback";
const REVOCATION_MS = 2_000;
/** The node verifies the signature; this list only excludes algorithms with a shared secret. */
const ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

/** Login that this tab has started, until the issuer redirects back. */
interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly place: string;
}

/** In memory only: a reload of the page discards it. */
let refreshToken: string | undefined;

function callback(): string {
  return new URL(CALLBACK, document.baseURI).href;
}

/** Returns whether the issuer has redirected to this page. */
export function isCallback(): boolean {
  return location.pathname.endsWith(`/${CALLBACK}`);
}

/** Returns the reason why a login cannot begin; undefined if it can. */
export function obstacle(client: OidcClient): string | undefined {
  if (!window.isSecureContext) return "A login by OpenID Connect requires HTTPS.";
  return client["token-endpoint"] && client["authorization-endpoint"]
    ? undefined
    : `The node has not reached ${client.issuer} yet. Reload the page later.`;
}

function server(client: OidcClient): oauth.AuthorizationServer {
  return {
    issuer: client.issuer,
    token_endpoint: client["token-endpoint"] ?? "",
    id_token_signing_alg_values_supported: ALGORITHMS,
  };
}

/** The node allows http for an issuer on its own machine, or by its configuration. */
function options(client: OidcClient) {
  const isPlain = client["token-endpoint"]?.startsWith("http:") ?? false;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- marked so for emphasis only
  return { [oauth.allowInsecureRequests]: isPlain };
}

/**
 * Leaves the page for the issuer's login.
 *
 * @param isOtherUser whether the issuer must require the credentials again
 */
export async function beginLogin(client: OidcClient, isOtherUser: boolean): Promise<void> {
  const pending: Pending = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
    place: location.hash,
  };
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  const url = new URL(client["authorization-endpoint"] ?? "");
  const parameters = {
    client_id: client["client-id"],
    redirect_uri: callback(),
    response_type: "code",
    scope: client.scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: "S256",
    ...(isOtherUser ? { prompt: "login" } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}

/** Exchanges the authorization code in the address for tokens, and removes it from the address. */
export async function finishLogin(client: OidcClient): Promise<void> {
  const response = new URL(location.href);
  const redirect = callback();
  const stored = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  const pending = stored === null ? undefined : (JSON.parse(stored) as Pending);
  replace(new URL(`./${pending?.place ?? ""}`, redirect).href);
  if (!pending) throw new Error("This tab has not started a login.");
  try {
    const as = server(client);
    const id = { client_id: client["client-id"] };
    const code = oauth.validateAuthResponse(as, id, response, pending.state);
    const answer = await oauth.authorizationCodeGrantRequest(
      as,
      id,
      oauth.None(),
      code,
      redirect,
      pending.verifier,
      options(client),
    );
    const checks = { expectedNonce: pending.nonce, requireIdToken: true };
    useTokens(await oauth.processAuthorizationCodeResponse(as, id, answer, checks));
  } catch (cause) {
    throw new Error(`The login failed: ${reason(cause)}`, { cause });
  }
}

/** Replaces the token by a new one; returns false if the issuer has not issued one. */
export async function renewToken(client: OidcClient): Promise<boolean> {
  if (refreshToken === undefined) return false;
  const as = server(client);
  const id = { client_id: client["client-id"] };
  try {
    const answer = await oauth.refreshTokenGrantRequest(
      as,
      id,
      oauth.None(),
      refreshToken,
      options(client),
    );
    return useTokens(await oauth.processRefreshTokenResponse(as, id, answer));
  } catch {
    refreshToken = undefined;
    return false;
  }
}

function useTokens(tokens: oauth.TokenEndpointResponse): boolean {
  refreshToken = tokens.refresh_token ?? refreshToken;
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (tokens.id_token === undefined || !claims) return false;
  setToken(tokens.id_token, claims.exp * 1000);
  return true;
}

/**
 * Forgets the tokens. If an issuer has issued them, revokes the refresh token, and leaves the page
 * for the end of the user's session there; the address contains no token.
 */
export async function logOut(client: OidcClient | undefined): Promise<void> {
  const isOfIssuer = tokenExpiry() !== undefined;
  const refresh = refreshToken;
  clearToken();
  refreshToken = undefined;
  if (client && refresh !== undefined) await revoke(client, refresh);
  const endpoint = client?.["end-session-endpoint"];
  if (!isOfIssuer || !client || !endpoint) {
    location.reload();
    return;
  }
  const url = new URL(endpoint);
  url.searchParams.set("client_id", client["client-id"]);
  url.searchParams.set("post_logout_redirect_uri", new URL(".", document.baseURI).href);
  location.assign(url);
}

/** Revokes a refresh token (RFC 7009), if the issuer responds in time. */
async function revoke(client: OidcClient, token: string): Promise<void> {
  const endpoint = client["revocation-endpoint"];
  if (endpoint === undefined) return;
  const as = { ...server(client), revocation_endpoint: endpoint };
  const id = { client_id: client["client-id"] };
  try {
    await oauth.revocationRequest(as, id, oauth.None(), token, {
      ...options(client),
      signal: AbortSignal.timeout(REVOCATION_MS),
    });
  } catch {
    // The token is forgotten in any case, and the end of the session invalidates it.
  }
}

function reason(cause: unknown): string {
  if (cause instanceof oauth.AuthorizationResponseError) return described(cause);
  if (cause instanceof oauth.ResponseBodyError) return described(cause);
  if (cause instanceof TypeError) {
    return "the issuer's token endpoint does not respond, or does not allow this page (CORS)";
  }
  return cause instanceof Error ? cause.message : String(cause);
}

function described(failure: { readonly error: string; readonly error_description?: string }) {
  const { error, error_description: description } = failure;
  return description ? `${error} (${description})` : error;
}
