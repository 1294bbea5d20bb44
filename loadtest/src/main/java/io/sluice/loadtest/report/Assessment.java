package io.sluice.loadtest.report;

import java.util.Locale;

/**
 * Answer to one question about a measurement, with its reason. Immutable, for any thread.
 *
 * @param question name of the question, such as {@code Settled}
 * @param text one or more sentences with the figures
 */
record Assessment(String question, Answer answer, String text) {
  /** Answer to a question. */
  enum Answer {
    /** The figures are usable in this respect. */
    YES,
    /** The figures are not usable in this respect, or a limit is exceeded. */
    NO,
    /** The figures do not decide, or there is no limit to compare them with. */
    UNDECIDED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Assessment yes(String question, String text) {
    return new Assessment(question, Answer.YES, text);
  }

  static Assessment no(String question, String text) {
    return new Assessment(question, Answer.NO, text);
  }

  static Assessment undecided(String question, String text) {
    return new Assessment(question, Answer.UNDECIDED, text);
  }
}
