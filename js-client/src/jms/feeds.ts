import type { Client, ConsumeOptions, Consumer, Delivery, DeliveryHandler } from "../index.js";
import type { Destination } from "./destinations.js";
import { toJmsException } from "./error-codes.js";
import { GapException, JMSException, JMSIllegalStateException } from "./exceptions.js";
import { fromDelivery, fromTopicMessage, type Received } from "./received.js";

/** Origin of the messages of a consumer. */
export interface Feed {
  /** Changes the maximum number of pending messages. */
  setCredit(credit: number): void;
  /** Ends the feed; pending messages return to their queue. */
  close(): Promise<void>;
}

/** Receiver of the messages of a feed. */
export interface FeedReceiver {
  onReceived(received: Received): void;
  onException(exception: JMSException): void;
}

/** Starts a feed; resolves when the broker's consumer is active, and rejects if it is refused. */
export type OpenFeed = (receiver: FeedReceiver, credit: number) => Promise<Feed>;

/** Code of the SDK for messages of a shared subscription that may be missing. */
const MISSING = "messages-missing";

/** Function of the SDK that starts a consumer. */
type Consume = (handler: DeliveryHandler, options: ConsumeOptions) => Promise<Consumer>;

/** Returns a feed of a queue, or of a subscription with a name. */
export function feedOfConsumer(
  consume: Consume,
  destination: Destination,
  where: string | undefined,
): OpenFeed {
  return async (receiver, credit) => {
    const opening = new Opening(receiver);
    const consumer = await consume(
      (delivery: Delivery) => {
        receiver.onReceived(fromDelivery(delivery, destination));
      },
      {
        ack: "manual",
        credit,
        ...(where !== undefined && { where }),
        onError: (error) => {
          const isGap = error.code === MISSING;
          const gap = new GapException(destination.toString(), MISSING);
          opening.onError(isGap ? gap : toJmsException(error));
        },
        onState: ({ status }) => {
          opening.onStatus(status);
        },
      },
    );
    return opening.complete({
      setCredit: (next) => {
        consumer.setCredit(next);
      },
      close: () => consumer.close(),
    });
  };
}

/** Returns a feed of a topic that all its consumers receive completely. */
export function feedOfTopic(client: Client, topic: string, where: string | undefined): OpenFeed {
  return (receiver) => {
    const opening = new Opening(receiver);
    const subscription = client.subscribe(
      topic,
      {
        onMessage: (message) => {
          receiver.onReceived(fromTopicMessage(message));
        },
        onGap: ({ reason }) => {
          receiver.onException(new GapException(topic, reason));
        },
        onError: (error) => {
          opening.onError(toJmsException(error));
        },
        onState: ({ status }) => {
          opening.onStatus(status);
        },
      },
      where === undefined ? {} : { where },
    );
    const close = (): Promise<void> => {
      subscription.unsubscribe();
      return Promise.resolve();
    };
    return opening.complete({ setCredit: () => undefined, close });
  };
}

/** Wait for the answer of the node. Later errors are reported to the receiver. */
class Opening {
  readonly #receiver: FeedReceiver;
  readonly #answered: Promise<void>;
  #resolve: () => void = () => undefined;
  #reject: (exception: JMSException) => void = () => undefined;
  #isAnswered = false;

  constructor(receiver: FeedReceiver) {
    this.#receiver = receiver;
    this.#answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#answered.catch(() => undefined);
  }

  onError(exception: JMSException): void {
    if (this.#isAnswered) this.#receiver.onException(exception);
    this.#isAnswered = true;
    this.#reject(exception);
  }

  onStatus(status: string): void {
    if (status === "closed") {
      this.#reject(new JMSIllegalStateException("the consumer was closed", "closed"));
    } else if (status !== "pending" && status !== "refused") {
      this.#isAnswered = true;
      this.#resolve();
    }
  }

  /** Returns the feed when it is active; closes it if it is refused. */
  async complete(feed: Feed): Promise<Feed> {
    try {
      await this.#answered;
      return feed;
    } catch (thrown) {
      await feed.close();
      throw thrown;
    }
  }
}
