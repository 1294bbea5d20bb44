import { SluiceError } from "../index.js";
import {
  InvalidDestinationException,
  InvalidSelectorException,
  JMSException,
  JMSIllegalStateException,
  JMSSecurityException,
  MessageFormatException,
  ResourceAllocationException,
  TransactionRolledBackException,
} from "./exceptions.js";

type ExceptionClass = new (message: string, errorCode: string, cause: unknown) => JMSException;

/** Exceptions by the code of a SluiceError. All other codes become a JMSException. */
const EXCEPTIONS: ReadonlyMap<string, ExceptionClass> = new Map<string, ExceptionClass>([
  ["invalid-topic", InvalidDestinationException],
  ["topic-too-long", InvalidDestinationException],
  ["topic-too-deep", InvalidDestinationException],
  ["unknown-topic", InvalidDestinationException],
  ["unknown-queue", InvalidDestinationException],
  ["unknown-subscription", InvalidDestinationException],
  ["no-recipient", InvalidDestinationException],
  ["invalid-selector", InvalidSelectorException],
  ["unauthorized", JMSSecurityException],
  ["forbidden", JMSSecurityException],
  ["no-token", JMSSecurityException],
  ["logged-out", JMSSecurityException],
  ["identity-changed", JMSSecurityException],
  ["closed", JMSIllegalStateException],
  ["subscription-exists", JMSIllegalStateException],
  ["subscription-in-use", JMSIllegalStateException],
  ["transaction-failed", TransactionRolledBackException],
  ["too-many-subscriptions", ResourceAllocationException],
  ["too-many-topics", ResourceAllocationException],
  ["too-many-consumers", ResourceAllocationException],
  ["too-many-requests", ResourceAllocationException],
  ["rate-limited", ResourceAllocationException],
  ["publish-queue-full", ResourceAllocationException],
  ["buffer-full", ResourceAllocationException],
  ["bad-payload", MessageFormatException],
  ["too-large", MessageFormatException],
]);

/** Returns the exception for anything that was thrown; a JMSException remains as it is. */
export function toJmsException(thrown: unknown): JMSException {
  if (thrown instanceof JMSException) return thrown;
  if (!(thrown instanceof SluiceError)) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new JMSException(message, "jms", thrown);
  }
  const { code, message, cause } = thrown;
  // A client whose credential was refused is closed, and the reason is the cause.
  const isSecurity = cause instanceof SluiceError && classOf(cause) === JMSSecurityException;
  return new (isSecurity ? JMSSecurityException : classOf(thrown))(message, code, thrown);
}

/** Awaits the result of the SDK; a failure becomes a JMSException. */
export async function translated<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (thrown) {
    throw toJmsException(thrown);
  }
}

function classOf({ code }: SluiceError): ExceptionClass {
  return EXCEPTIONS.get(code) ?? JMSException;
}
