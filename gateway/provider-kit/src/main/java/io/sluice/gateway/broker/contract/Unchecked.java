package io.sluice.gateway.broker.contract;

/** The configuration does not permit a check. */
final class Unchecked extends Exception {
  private static final long serialVersionUID = 1;

  Unchecked(String why) {
    super(why);
  }
}
