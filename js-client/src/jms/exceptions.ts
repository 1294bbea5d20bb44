/** Base class of all exceptions of this module. */
export class JMSException extends Error {
  /** Name of the class, for logs; also in minified code. */
  override readonly name: string = "JMSException";
  /** Stable code: that of the `SluiceError`, or `jms` for errors of this module. */
  readonly errorCode: string;

  /** Creates an exception; `cause` is the underlying error. */
  constructor(message: string, errorCode = "jms", cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.errorCode = errorCode;
  }

  /** Returns the stable code. */
  getErrorCode(): string {
    return this.errorCode;
  }
}

/** Exception for a use of the API that this module does not support. */
export class JMSRuntimeException extends JMSException {
  /** Name of the class. */
  override readonly name: string = "JMSRuntimeException";
}

/** Exception for a destination or a subscription that does not exist or has an invalid name. */
export class InvalidDestinationException extends JMSException {
  /** Name of the class. */
  override readonly name: string = "InvalidDestinationException";
}

/** Exception for a selector that the broker or the node refuses. */
export class InvalidSelectorException extends JMSException {
  /** Name of the class. */
  override readonly name: string = "InvalidSelectorException";
}

/** Exception for a credential that is not accepted, or a permission that is missing. */
export class JMSSecurityException extends JMSException {
  /** Name of the class. */
  override readonly name: string = "JMSSecurityException";
}

/** Exception for a call that is not allowed at this time: `jakarta.jms.IllegalStateException`. */
export class JMSIllegalStateException extends JMSException {
  /** Name of the class. */
  override readonly name: string = "JMSIllegalStateException";
}

/** Exception for a transaction that was rolled back instead of committed. */
export class TransactionRolledBackException extends JMSException {
  /** Name of the class. */
  override readonly name: string = "TransactionRolledBackException";
}

/** Exception for a limit that was reached. */
export class ResourceAllocationException extends JMSException {
  /** Name of the class. */
  override readonly name: string = "ResourceAllocationException";
}

/** Exception for a value or a payload of the wrong type. */
export class MessageFormatException extends JMSException {
  /** Name of the class. */
  override readonly name: string = "MessageFormatException";
}

/** Exception for a read beyond the end of a BytesMessage or StreamMessage. */
export class MessageEOFException extends JMSException {
  /** Name of the class. */
  override readonly name: string = "MessageEOFException";
}

/** Exception for a read of a message that is write-only. */
export class MessageNotReadableException extends JMSException {
  /** Name of the class. */
  override readonly name: string = "MessageNotReadableException";
}

/** Exception for a change of a message that is read-only. */
export class MessageNotWriteableException extends JMSException {
  /** Name of the class. */
  override readonly name: string = "MessageNotWriteableException";
}

/** Exception for messages of a topic that may be missing. */
export class GapException extends JMSException {
  /** Name of the class. */
  override readonly name: string = "GapException";
  /** Subscribed topic or pattern. */
  readonly topic: string;
  /** Reason of the gap, as in `GapReason`. */
  readonly reason: string;

  /** Creates an exception for a gap in the messages of a topic. */
  constructor(topic: string, reason: string) {
    super(`messages of ${topic} may be missing (${reason})`, "gap");
    this.topic = topic;
    this.reason = reason;
  }
}
