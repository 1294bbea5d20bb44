import { useEffect, useRef } from "preact/hooks";
import { useAccess, useRenewal } from "./access.js";
import { hasToken } from "./api.js";
import type { OidcClient } from "./model.js";
import { beginLogin, logOut } from "./oidc.js";
import { href, useRoute } from "./router.js";
import type { Route } from "./router.js";
import { type Theme, useTheme } from "./theme.js";
import { ClientView } from "./views/client.js";
import { ClientsView } from "./views/clients.js";
import { Login } from "./views/login.js";
import { OperationsView } from "./views/operations.js";
import { OverviewView } from "./views/overview.js";
import { TopicView } from "./views/topic.js";
import { TopicsView } from "./views/topics.js";
import { WhyView } from "./views/why.js";

const VIEWS = [
  ["overview", "Overview"],
  ["topics", "Topics"],
  ["clients", "Clients"],
  ["why", "Why no data?"],
  ["operations", "Operations"],
] as const;

/** Console: the login, or the view that the address names. */
export function App() {
  const access = useAccess();
  const isGranted = access.state === "granted";
  const { oidc } = access.logins;
  const isExpiring = useRenewal(oidc, isGranted);
  const [theme, setTheme] = useTheme();
  const route = useRoute();
  const view = route.path[0] === "" ? "overview" : (route.path[0] ?? "overview");
  useTitle(view, route);
  return (
    <>
      <a
        class="skip-link"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("content")?.focus();
        }}
      >
        Skip to the content
      </a>
      <Header view={view} isGranted={isGranted} oidc={oidc} theme={theme} onTheme={setTheme} />
      <main id="content" class="container-xl py-3" tabIndex={-1}>
        {access.state === "needed" && <Login access={access} />}
        {isGranted && isExpiring && oidc && <Expiring client={oidc} />}
        {isGranted && <View view={view} route={route} />}
      </main>
    </>
  );
}

/** Notice before the expiry of a login that only the user can renew. */
function Expiring(props: { readonly client: OidcClient }) {
  return (
    <div class="alert alert-warning py-2 d-flex flex-wrap align-items-center gap-2" role="status">
      <span class="me-auto">Your login expires soon.</span>
      <button
        type="button"
        class="btn btn-sm btn-outline-secondary"
        onClick={() => {
          void beginLogin(props.client, false);
        }}
      >
        Renew the login
      </button>
    </div>
  );
}

function useTitle(view: string, route: Route): void {
  const name = VIEWS.find(([id]) => id === view)?.[1] ?? "Console";
  const detail = route.path[1];
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${detail ? `${detail} – ` : ""}${name} – Sluice console`;
    window.scrollTo(0, 0);
    // A screen reader continues at the content of the new view.
    if (!isFirst.current) document.getElementById("content")?.focus();
    isFirst.current = false;
  }, [name, detail]);
}

function View(props: { readonly view: string; readonly route: Route }) {
  const { route } = props;
  const detail = route.path[1];
  switch (props.view) {
    case "overview":
      return <OverviewView />;
    case "topics":
      return detail ? <TopicView key={detail} topic={detail} /> : <TopicsView route={route} />;
    case "clients":
      return detail ? <ClientView key={detail} session={detail} /> : <ClientsView route={route} />;
    case "why":
      return <WhyView route={route} />;
    case "operations":
      return <OperationsView />;
    default:
      return <p>There is no such view.</p>;
  }
}

function Header(props: {
  readonly view: string;
  readonly isGranted: boolean;
  readonly oidc: OidcClient | undefined;
  readonly theme: Theme;
  readonly onTheme: (theme: Theme) => void;
}) {
  return (
    <header class="console-header">
      <div class="container-xl d-flex flex-wrap align-items-center column-gap-4 py-2">
        <span class="fw-bold">Sluice</span>
        {props.isGranted && (
          <nav aria-label="Views" class="order-3 order-lg-2">
            <ul class="nav nav-underline column-gap-3 row-gap-0">
              {VIEWS.map(([id, label]) => (
                <li key={id} class="nav-item">
                  <a
                    class={`nav-link py-1 ${id === props.view ? "active" : ""}`}
                    href={href([id])}
                    {...(id === props.view ? { "aria-current": "page" } : {})}
                  >
                    {label}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <div class="d-flex gap-2 ms-auto order-2 order-lg-3">
          <select
            class="form-select form-select-sm w-auto"
            aria-label="Theme"
            value={props.theme}
            onChange={(event) => {
              props.onTheme(event.currentTarget.value as Theme);
            }}
          >
            <option value="auto">System</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
          {props.isGranted && hasToken() && (
            <button
              type="button"
              class="btn btn-sm btn-outline-secondary"
              onClick={() => {
                void logOut(props.oidc);
              }}
            >
              Log out
            </button>
          )}
        </div>
      </div>
    </header>
  );
}
