import { useState } from "preact/hooks";
import type { Access } from "../access.js";
import { setToken } from "../api.js";
import type { OidcClient } from "../model.js";
import { beginLogin, obstacle } from "../oidc.js";
import { Problem } from "../parts/basic.js";

/** Login methods of the node. */
export function Login(props: { readonly access: Access }) {
  const { check, isOtherUserNeeded, logins, reason } = props.access;
  const hasToken = logins.methods.includes("token");
  return (
    <div class="card p-4 mx-auto mt-4 col-12 col-sm-9 col-md-7 col-lg-5">
      <h1 class="h4">Log in</h1>
      {reason !== "" && <Problem>{reason}</Problem>}
      {logins.oidc && <IssuerLogin client={logins.oidc} isOtherUser={isOtherUserNeeded} />}
      {logins.oidc && hasToken && <p class="text-body-secondary my-3">or with an admin token</p>}
      {hasToken && <TokenLogin onToken={check} />}
      {logins.methods.length === 0 && <p class="m-0">This node has no login for operators.</p>}
    </div>
  );
}

/** Button that leaves for the issuer's login. */
function IssuerLogin(props: { readonly client: OidcClient; readonly isOtherUser: boolean }) {
  const { client, isOtherUser } = props;
  const problem = obstacle(client);
  return (
    <>
      {problem !== undefined && <Problem>{problem}</Problem>}
      <button
        type="button"
        class="btn btn-primary"
        disabled={problem !== undefined}
        onClick={() => {
          void beginLogin(client, isOtherUser);
        }}
      >
        {isOtherUser ? "Continue as another user" : `Continue with ${new URL(client.issuer).host}`}
      </button>
    </>
  );
}

/** Form for the admin token, which remains in this tab only. */
function TokenLogin(props: { readonly onToken: () => void }) {
  const [token, change] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setToken(token.trim());
        change("");
        props.onToken();
      }}
    >
      <label class="form-label" for="token">
        Admin token
      </label>
      <input
        id="token"
        class="form-control"
        type="password"
        autocomplete="off"
        required
        value={token}
        aria-describedby="token-help"
        onInput={(event) => {
          change(event.currentTarget.value);
        }}
      />
      <p id="token-help" class="form-text">
        A token of <code>admin.token</code> or <code>admin.token-file</code>. It remains in this tab
        until you log out or close the tab.
      </p>
      <button class="btn btn-primary w-100">Log in</button>
    </form>
  );
}
