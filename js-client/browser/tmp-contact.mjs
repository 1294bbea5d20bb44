import { launchChromium } from "./chromium.mjs";
const b = await launchChromium();
const page = await b.newPage();
page.on("console", (m) => console.log("CONSOLE", m.type(), m.text().slice(0,300)));
page.on("pageerror", (e) => console.log("PAGEERROR", e.message));
page.on?.("requestfailed", (r) => console.log("REQFAILED", r.url()));
page.on?.("response", (r) => { if (r.status()>=300) console.log("RESP", r.status(), r.url()); });
await page.goto("http://127.0.0.1:24100/demo/").catch(e=>console.log(e.message));
await page.goto(process.argv[2]);
const r = await page.evaluate(async () => {
  const { connect } = await import("/sluice.js");
  const c = connect("ws://" + location.host + "/wrong", { minBackoff: 50, maxBackoff: 100, debug: true });
  c.on("error", (e) => console.log("ERR " + e));
  c.subscribe("stocks.>", () => undefined);
  await new Promise((r) => setTimeout(r, 8000));
  const s = JSON.stringify(c.state); c.close(); return s;
});
console.log(r);
await b.close();
