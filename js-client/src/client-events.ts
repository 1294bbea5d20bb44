import { checkFunction, checkOneOf } from "./arguments.js";
import { Emitter, type Undo } from "./emitter.js";
import { SluiceError } from "./errors.js";
import type { Hello } from "./frames.js";
import type { ConnectionState } from "./state.js";
import type { Gap } from "./subscription-state.js";

/** What {@link SluiceClient.on} can tell, by name. */
export interface ClientEvents {
  /** The connection's state has changed. */
  state: ConnectionState;
  /** A session has opened; the node introduces itself. */
  hello: Hello;
  /** The node has lost the broker: every subscription may miss messages from now on. */
  stale: undefined;
  /** The broker is back, and messages flow again. */
  live: undefined;
  /** A subscription may have missed messages. */
  gap: Gap;
  /** The node is going to stop; the client leaves it by itself. */
  draining: {
    /** When the node closes the connection at the latest; its time, milliseconds since 1970. */
    readonly deadline: number;
  };
  /** The client has gone from one node to another, and was connected all the time. */
  moved: {
    /** The name of the node that it has left. */
    readonly from: string;
    /** That of the one to which it is connected now. */
    readonly to: string;
  };
  /** An error that no other callback was told of. */
  error: SluiceError;
}

const EVENT_NAMES: readonly string[] = [
  "state",
  "hello",
  "stale",
  "live",
  "gap",
  "draining",
  "moved",
  "error",
] satisfies readonly (keyof ClientEvents)[];

/** Tells the application what happens, and of errors on the console if nobody listens. */
export class ClientEmitter extends Emitter<ClientEvents> {
  #isReporting = false;

  constructor() {
    super((thrown) => {
      this.onHandlerThrew(thrown);
    });
  }

  /** Listens to one event, whose name may be wrong. */
  on<Name extends keyof ClientEvents>(
    name: Name,
    listener: (event: ClientEvents[Name]) => void,
  ): Undo {
    checkOneOf("event", EVENT_NAMES, name);
    checkFunction("listener", listener);
    return this.add({ [name]: listener });
  }

  readonly onHandlerThrew = (thrown: unknown): void => {
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    this.report(new SluiceError("handler-failed", `a handler threw: ${what}`, undefined, thrown));
  };

  readonly report = (error: SluiceError): void => {
    // A listener for errors that throws would be told of its own error, for ever.
    const heard = !this.#isReporting && this.#tell(error);
    if (!heard) console.error(error);
  };

  #tell(error: SluiceError): boolean {
    this.#isReporting = true;
    try {
      return this.emit("error", error);
    } finally {
      this.#isReporting = false;
    }
  }
}
