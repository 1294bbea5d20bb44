import { useState } from "preact/hooks";
import { setToken } from "../api.js";
import { Problem } from "../parts/basic.js";

/** Form for the admin token, which remains in this tab only. */
export function Login(props: { readonly reason: string; readonly onToken: () => void }) {
  const [token, change] = useState("");
  return (
    <form
      class="card p-4 mx-auto mt-4 col-12 col-sm-9 col-md-7 col-lg-5"
      onSubmit={(event) => {
        event.preventDefault();
        setToken(token.trim());
        change("");
        props.onToken();
      }}
    >
      <h1 class="h4">Log in</h1>
      {props.reason !== "" && <Problem>{props.reason}</Problem>}
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
      <button class="btn btn-primary">Log in</button>
    </form>
  );
}
