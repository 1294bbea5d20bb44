// HTTP server for files on a separate port.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));

/**
 * Starts the server, for the files of the package or of another folder. `urlOf` returns the URL of
 * a path with query parameters.
 */
export async function servePackage(folder = PACKAGE) {
  const server = createServer((request, response) => void serve(folder, request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    urlOf: (path, parameters) => `${origin}/${path}?${new URLSearchParams(parameters)}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function serve(folder, request, response) {
  const path = normalize(new URL(request.url, "http://package").pathname);
  const type = path.endsWith(".html") ? "text/html" : "text/javascript";
  try {
    const content = await readFile(join(folder, path));
    response.writeHead(200, { "Content-Type": `${type}; charset=utf-8` }).end(content);
  } catch {
    response.writeHead(404).end("no such file");
  }
}
