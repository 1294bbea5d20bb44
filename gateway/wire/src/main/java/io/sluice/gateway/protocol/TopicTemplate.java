package io.sluice.gateway.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Topic or pattern with placeholders, such as <code>orders.{sub}.&gt;</code>. Immutable, for any
 * thread.
 *
 * @param literals literals around the placeholders, one more than there are placeholders
 * @param placeholders names in braces, in order
 */
public record TopicTemplate(List<String> literals, List<String> placeholders) {
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([^{}]*)}");

  /** Value of each placeholder while the rest is validated. */
  private static final String SAMPLE = "x";

  public TopicTemplate {
    literals = List.copyOf(literals);
    placeholders = List.copyOf(placeholders);
  }

  /** Parses a text for which {@link #problem} returns null. */
  public static TopicTemplate of(String text) {
    List<String> literals = new ArrayList<>();
    List<String> placeholders = new ArrayList<>();
    Matcher placeholder = PLACEHOLDER.matcher(text);
    int end = 0;
    while (placeholder.find()) {
      literals.add(text.substring(end, placeholder.start()));
      placeholders.add(placeholder.group(1));
      end = placeholder.end();
    }
    literals.add(text.substring(end));
    return new TopicTemplate(literals, placeholders);
  }

  /**
   * Returns the problem of a text, or null. The rules are applied to the unfilled text; filled, it
   * may still exceed them.
   */
  public static TopicRules.Problem problem(String text, TopicRules rules) {
    TopicTemplate template = of(text);
    if (template.placeholders.stream().anyMatch(String::isBlank)) {
      return invalid("\"" + text + "\" has empty braces");
    }
    if (template.literals.stream().anyMatch(TopicTemplate::hasBrace)) {
      return invalid("\"" + text + "\" has an unmatched brace");
    }
    return rules.checkPattern(template.fill(placeholder -> SAMPLE));
  }

  private static boolean hasBrace(String text) {
    return text.indexOf('{') >= 0 || text.indexOf('}') >= 0;
  }

  private static TopicRules.Problem invalid(String message) {
    return new TopicRules.Problem(ErrorCode.INVALID_TOPIC, message);
  }

  /** Returns the text with each placeholder replaced by its value. */
  public String fill(UnaryOperator<String> values) {
    StringBuilder filled = new StringBuilder(literals.get(0));
    for (int i = 0; i < placeholders.size(); i++) {
      filled.append(values.apply(placeholders.get(i))).append(literals.get(i + 1));
    }
    return filled.toString();
  }
}
