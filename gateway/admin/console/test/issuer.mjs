// OpenID Connect provider for tests: any name is a user, and alice is an operator.
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";

const LIFETIME_S = 3600;

/**
 * Starts the provider with a public client for the console.
 *
 * @param issuer its URL on this machine
 * @param console URL of the console
 */
export async function startIssuer(issuer, console) {
  const provider = await createProvider(issuer, console);
  const answer = provider.callback();
  const server = createServer((request, response) => {
    if (request.url.startsWith("/interaction/")) {
      interact(provider, request, response).catch((error) => {
        response.writeHead(500).end(String(error));
      });
    } else {
      answer(request, response);
    }
  });
  await new Promise((resolve) => server.listen(new URL(issuer).port, "127.0.0.1", resolve));
  return {
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function createProvider(issuer, console) {
  const { default: Provider } = await import("oidc-provider");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return new Provider(issuer, {
    claims: { openid: ["sub", "roles"] },
    clientBasedCORS: () => true,
    clients: [
      {
        client_id: "console",
        grant_types: ["authorization_code", "refresh_token"],
        post_logout_redirect_uris: [console],
        redirect_uris: [new URL("callback", console).href],
        token_endpoint_auth_method: "none",
      },
    ],
    conformIdTokenClaims: false,
    cookies: { keys: ["cookies of a test"] },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true, logoutSource },
    },
    findAccount: (context, sub) => ({
      accountId: sub,
      claims: () => ({ sub, roles: [sub === "alice" ? "operator" : "viewer"] }),
    }),
    interactions: { url: (context, { uid }) => `/interaction/${uid}` },
    issueRefreshToken: () => true,
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", kid: "test" }] },
    loadExistingGrant: grant,
    ttl: { AccessToken: LIFETIME_S, Grant: LIFETIME_S, IdToken: LIFETIME_S, Session: LIFETIME_S },
  });
}

/** Grants the scopes of the client without asking the user. */
async function grant(context) {
  const { client, params, provider, session } = context.oidc;
  const granted = new provider.Grant({
    accountId: session.accountId,
    clientId: client.clientId,
  });
  granted.addOIDCScope(params.scope);
  await granted.save();
  return granted;
}

/** Asks the user to confirm the logout. */
function logoutSource(context, form) {
  context.body = `${form}<button form="op.logoutForm" name="logout" value="yes">Yes</button>`;
}

/** Asks for the name of the user, who needs no password. */
async function interact(provider, request, response) {
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(
      '<form method="post"><label>Name <input name="name"></label><button>Sign in</button></form>',
    );
    return;
  }
  let body = "";
  for await (const part of request) body += part;
  const accountId = new URLSearchParams(body).get("name");
  await provider.interactionFinished(request, response, { login: { accountId } });
}
