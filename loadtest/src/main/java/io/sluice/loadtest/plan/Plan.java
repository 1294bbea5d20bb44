package io.sluice.loadtest.plan;

import java.util.List;

/**
 * What a target needs. Immutable.
 *
 * @param nodes in all, the spare ones among them
 * @param answers all figures, that of the nodes among them
 * @param assumptions in words, a sentence each
 */
public record Plan(long nodes, List<Answer> answers, List<String> assumptions) {

  /**
   * The answer of a name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public Answer answer(String what) {
    return answers.stream()
        .filter(answer -> answer.what().equals(what))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no answer: " + what));
  }

  /** As Markdown. */
  public String toMarkdown() {
    StringBuilder out =
        new StringBuilder("| what | answer | range | rests on |\n|---|---|---|---|\n");
    for (Answer answer : answers) {
      out.append("| ").append(answer.what());
      out.append(" | ").append(answer.valueText());
      out.append(" | ").append(answer.rangeText());
      out.append(" | ").append(answer.basis()).append(" |\n");
    }
    out.append("\nAssumptions:\n\n");
    assumptions.forEach(assumption -> out.append("- ").append(assumption).append('\n'));
    return out.toString();
  }
}
