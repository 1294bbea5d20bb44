import { connect, type Address, type ConnectOptions } from "../index.js";
import { Connection } from "./connection.js";
import { SessionMode, type SessionModeValue } from "./constants.js";
import { toJmsException } from "./error-codes.js";
import { JMSException } from "./exceptions.js";
import { JMSContext, type ContextSettings } from "./jms-context.js";

/** Options of a {@link ConnectionFactory}: those of `connect`, and limits of consumers. */
export interface ConnectionFactoryOptions extends ConnectOptions {
  /**
   * Messages of a queue or a subscription with a name that may wait for the application, 1 to
   * 1,000; default 20. With 1, at most one arrives before those that return after `rollback`.
   */
  readonly prefetch?: number;
  /**
   * Maximum number of messages of a consumer that the application has not acknowledged or
   * committed; default 1,000, the default of the node's `limits.consumer-credit`.
   */
  readonly maxUnsettled?: number;
  /**
   * Maximum number of messages of a topic that wait for the application; default 10,000. Beyond it
   * the oldest is dropped, and a {@link GapException} is reported. It also limits the replies that
   * wait for a consumer of a temporary queue; beyond it a request is rejected.
   */
  readonly topicBuffer?: number;
}

/** Options of {@link ConnectionFactory.createContext}. */
export interface ContextOptions {
  /** Session mode; default AUTO_ACKNOWLEDGE. */
  readonly sessionMode?: SessionModeValue;
}

/** Creates connections to a Sluice node with the API of Jakarta Messaging. */
export class ConnectionFactory {
  readonly #url: Address;
  readonly #options: ConnectOptions;
  readonly #settings: ContextSettings;

  /**
   * Creates a factory. The credential is the option `token`.
   *
   * @param url - The node's endpoint, such as `wss://example.com/ws`, or a list of endpoints.
   */
  constructor(url: Address, options: ConnectionFactoryOptions = {}) {
    const { prefetch = 20, maxUnsettled = 1_000, topicBuffer = 10_000, ...others } = options;
    this.#url = url;
    this.#options = others;
    this.#settings = {
      timers: others.clock ?? systemTimers,
      prefetch: whole("prefetch", prefetch, 1_000),
      maxUnsettled: whole("maxUnsettled", maxUnsettled, 1_000_000, prefetch),
      topicBuffer: whole("topicBuffer", topicBuffer, 1_000_000),
    };
  }

  /**
   * Creates a context with its own connection, which is opened in the background.
   *
   * @throws JMSException if the URL or an option of `connect` is invalid
   */
  createContext(options: ContextOptions | SessionModeValue = {}): JMSContext {
    const chosen = typeof options === "number" ? options : options.sessionMode;
    const mode = chosen ?? SessionMode.AUTO_ACKNOWLEDGE;
    if (!Object.values(SessionMode).includes(mode)) {
      throw new JMSException(`session mode ${String(mode)} does not exist`);
    }
    try {
      const connection = new Connection(connect(this.#url, this.#options));
      return new JMSContext(connection, this.#settings, mode);
    } catch (thrown) {
      throw toJmsException(thrown);
    }
  }
}

const systemTimers: ContextSettings["timers"] = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => {
    clearTimeout(timer as ReturnType<typeof setTimeout>);
  },
};

function whole(name: string, value: number, max: number, min = 1): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const range = `a whole number from ${String(min)} to ${String(max)}`;
  throw new JMSException(`${name} must be ${range}, not ${String(value)}`);
}
