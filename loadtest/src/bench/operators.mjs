// Requests of operators who watch the console: each reads the cluster's overview, topics and clients every two
// seconds, and the messages of one topic.
//
//   node operators.mjs ADMIN_URL OPERATORS
const [url, operators] = process.argv.slice(2);
const PATHS = ["/overview", "/topics?sort=rate&limit=100", "/clients?sort=pending&limit=100", "/cluster"];

async function read(path, missing = 200) {
  const response = await fetch(url + path);
  if (!response.ok && response.status !== missing) {
    throw new Error(`${path}: HTTP ${response.status}: ${await response.text()}`);
  }
  for await (const chunk of response.body) {
    void chunk;
  }
}

function fail(error) {
  console.error(String(error));
  process.exit(1);
}

for (let i = 0; i < Number(operators); i++) {
  const watch = () => Promise.all(PATHS.map(read)).catch(fail);
  // A tail is open until this process ends; at most eight are possible.
  if (i < 8) {
    read(`/topics/stocks.${i}/tail`, 404).catch(fail); // no client of an idle node subscribes
  }
  setTimeout(() => setInterval(watch, 2000), (2000 / operators) * i);
}
console.log("READY");
