/** Source of a WebSocket class whose connections can be cut for some time. */
export class ConnectionSwitch {
  #sockets = new Set();
  #cutUntil = -Infinity;

  constructor(Base = window.WebSocket) {
    const add = (socket) => this.#add(socket);
    this.WebSocket = class extends Base {
      constructor(url, protocols) {
        super(url, protocols);
        add(this);
      }
    };
  }

  /** Closes all connections, and every new one for so many milliseconds. */
  cut(durationMs) {
    this.#cutUntil = performance.now() + durationMs;
    for (const socket of this.#sockets) socket.close();
  }

  #add(socket) {
    this.#sockets.add(socket);
    socket.addEventListener("close", () => this.#sockets.delete(socket));
    if (performance.now() < this.#cutUntil) socket.close();
  }
}
