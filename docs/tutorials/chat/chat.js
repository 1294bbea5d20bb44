const element = (id) => document.getElementById(id);
const fieldsOf = (form) => Object.fromEntries(new FormData(form));

let client;
let tokens = 0;

element("login").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { user, password } = fieldsOf(event.target);
  const body = JSON.stringify({ user, password });
  const { ok } = await fetch("/login", { method: "POST", body });
  element("error").textContent = ok ? "" : "The user or the password is wrong.";
  if (ok) start(user);
});

function start(user) {
  element("login").hidden = true;
  element("say").hidden = false;

  client = Sluice.connect("ws://localhost:8080/ws", { token: fetchToken });
  client.on("state", ({ status, error }) => {
    element("state").value = status;
    if (error) show(error);
  });
  client.on("error", show);

  client.subscribe(
    "chat.lobby.*",
    { onMessage: append, onError: show },
    { from: { last: 20 }, payload: "text" },
  );

  element("say").addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target;
    client.publish(`chat.lobby.${user}`, fieldsOf(form).text).then(() => {
      element("error").textContent = "";
      form.reset();
    }, show);
  });
}

// Called for each connection, and again before the token of the session expires.
async function fetchToken() {
  const response = await fetch("/token", { method: "POST" });
  if (!response.ok) throw new Error(`/token answered ${response.status}`);
  const { token, expires } = await response.json();
  const until = new Date(expires * 1_000).toLocaleTimeString();
  element("token").value = `number ${++tokens}, valid until ${until}`;
  return token;
}

// The last level of the topic is the sender: each user may publish to one topic only.
function append({ topic, payload }) {
  const item = document.createElement("li");
  item.textContent = `${topic.split(".").at(-1)}: ${payload}`;
  element("messages").append(item);
}

function show({ code, message, cause }) {
  const detail = cause ? ` (${cause.message})` : "";
  element("error").textContent = `${code}: ${message}${detail}`;
}
