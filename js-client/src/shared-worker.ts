// Script of a SharedWorker. It is a module: new SharedWorker(url, { type: "module" }).
import { SharedHub, type Locks } from "./shared/shared-hub.js";

const { locks } = navigator as { readonly locks: Locks };
const hub = new SharedHub(locks);

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port) hub.accept(port);
});
