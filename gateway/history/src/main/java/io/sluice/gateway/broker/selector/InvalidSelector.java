package io.sluice.gateway.broker.selector;

/** Reports that a text is no selector. The message says what is wrong, and where. */
public final class InvalidSelector extends Exception {
  private static final long serialVersionUID = 1L;

  InvalidSelector(String problem) {
    super(problem, null, false, false); // carries a value, not a bug: no stack trace
  }
}
