package io.sluice.gateway.broker.contract;

/**
 * Result of one check. Immutable.
 *
 * @param check name of the check
 * @param outcome outcome
 * @param reason explanation; figures, or empty, if it works
 */
public record ContractResult(String check, Outcome outcome, String reason) {
  /** Outcomes of a check. */
  public enum Outcome {
    /** The provider behaves as the contract requires. */
    WORKS("works"),
    /** The request is refused with a reason, and clients receive it. */
    REFUSED("refused"),
    /** The provider behaves differently without a refusal. */
    FAILS("fails"),
    /** The configuration does not permit the check. */
    UNCHECKED("unchecked");

    private final String word;

    Outcome(String word) {
      this.word = word;
    }

    /** Returns the name in tables and reports. */
    public String word() {
      return word;
    }
  }

  /** Returns whether the provider behaves as required. */
  public boolean works() {
    return outcome == Outcome.WORKS;
  }
}
