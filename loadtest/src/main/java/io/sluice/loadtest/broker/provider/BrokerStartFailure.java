package io.sluice.loadtest.broker.provider;

/** Failure to start a broker that its user can correct. The message is one line. */
public final class BrokerStartFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  BrokerStartFailure(String message) {
    super(message);
  }

  BrokerStartFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
