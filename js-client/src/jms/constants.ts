/** Delivery modes of JMS. */
export const DeliveryMode = {
  /** A restart of the broker may lose the message. */
  NON_PERSISTENT: 1,
  /** A restart of the broker must not lose the message. */
  PERSISTENT: 2,
} as const;

/** Value of {@link DeliveryMode}. */
export type DeliveryModeValue = (typeof DeliveryMode)[keyof typeof DeliveryMode];

/** Session modes of JMS, with their values. */
export const SessionMode = {
  /** Sends and receives take effect with `commit()`. */
  SESSION_TRANSACTED: 0,
  /** A message is acknowledged when its listener completes, or `receive` returns it. */
  AUTO_ACKNOWLEDGE: 1,
  /** The application acknowledges all delivered messages by `acknowledge()`. */
  CLIENT_ACKNOWLEDGE: 2,
  /** Like AUTO_ACKNOWLEDGE, without waiting for the broker. */
  DUPS_OK_ACKNOWLEDGE: 3,
} as const;

/** Value of {@link SessionMode}. */
export type SessionModeValue = (typeof SessionMode)[keyof typeof SessionMode];

/** Defaults of a message in JMS. */
export const Defaults = {
  PRIORITY: 4,
  TIME_TO_LIVE: 0,
  DELIVERY_DELAY: 0,
} as const;
