import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Proxy in front of a node that forwards no WebSockets, and each answer only when it is complete. */
export class BufferingProxy {
  isBuffering = true;
  readonly #server: Server;

  private constructor(node: string) {
    const target = new URL(node.replace(/^ws/, "http"));
    this.#server = createServer((incoming, outgoing) => {
      const { method = "", url, headers } = incoming;
      const forwarded = request(new URL(url ?? "", target), { method, headers }, (answer) => {
        const begin = (): void => {
          outgoing.writeHead(answer.statusCode ?? 502, { "content-type": "text/plain" });
        };
        if (!this.isBuffering) {
          begin();
          outgoing.flushHeaders();
          answer.pipe(outgoing);
          return;
        }
        const pieces: Buffer[] = [];
        answer.on("data", (piece: Buffer) => pieces.push(piece));
        answer.on("end", () => {
          begin();
          outgoing.end(Buffer.concat(pieces));
        });
      });
      forwarded.on("error", () => outgoing.destroy());
      outgoing.on("close", () => forwarded.destroy());
      incoming.pipe(forwarded);
    });
    this.#server.on("upgrade", (_, socket) => {
      socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    });
  }

  static async start(node: string): Promise<BufferingProxy> {
    const proxy = new BufferingProxy(node);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `ws://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}/some/ws`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
