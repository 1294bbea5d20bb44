package io.sluice.gatling.check;

import io.gatling.javaapi.core.CheckBuilder;

/** Kinds of checks that only this protocol has. */
public enum SluiceCheckType implements CheckBuilder.CheckType {
  /** Check of all messages of a stream together. */
  STREAM,

  /** Check of each message. */
  MESSAGE
}
