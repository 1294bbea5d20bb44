package io.sluice.loadtest.plan;

import java.util.List;

/**
 * Number of nodes and resources for a target. Immutable, for any thread.
 *
 * @param nodes total number of nodes, including spare nodes
 * @param figures all figures, including the number of nodes
 * @param assumptions one sentence each
 */
public record Plan(long nodes, List<PlannedFigure> figures, List<String> assumptions) {

  /**
   * Returns the figure with a name.
   *
   * @throws IllegalArgumentException if there is no such figure
   */
  public PlannedFigure figure(String name) {
    return figures.stream()
        .filter(figure -> figure.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no figure with the name " + name));
  }

  /** Returns the plan as Markdown. */
  public String toMarkdown() {
    StringBuilder out =
        new StringBuilder("| figure | value | range | basis |\n|---|---|---|---|\n");
    for (PlannedFigure figure : figures) {
      out.append("| ").append(figure.name());
      out.append(" | ").append(figure.valueText());
      out.append(" | ").append(figure.rangeText());
      out.append(" | ").append(figure.basis()).append(" |\n");
    }
    out.append("\nAssumptions:\n\n");
    assumptions.forEach(assumption -> out.append("- ").append(assumption).append('\n'));
    return out.toString();
  }
}
