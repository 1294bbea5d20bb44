package io.sluice.gateway.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A topic or pattern with gaps, such as <code>orders.{sub}.&gt;</code>. Immutable, for any thread.
 *
 * @param texts what stands around the gaps, one more than there are gaps
 * @param gaps the names in braces, in their order
 */
public record TopicTemplate(List<String> texts, List<String> gaps) {
  private static final Pattern GAP = Pattern.compile("\\{([^{}]*)}");

  /** What stands in a gap while the rest is judged. */
  private static final String SAMPLE = "x";

  public TopicTemplate {
    texts = List.copyOf(texts);
    gaps = List.copyOf(gaps);
  }

  /** Takes a text apart that {@link #problem} has nothing against. */
  public static TopicTemplate of(String text) {
    List<String> texts = new ArrayList<>();
    List<String> gaps = new ArrayList<>();
    Matcher gap = GAP.matcher(text);
    int end = 0;
    while (gap.find()) {
      texts.add(text.substring(end, gap.start()));
      gaps.add(gap.group(1));
      end = gap.end();
    }
    texts.add(text.substring(end));
    return new TopicTemplate(texts, gaps);
  }

  /**
   * What is wrong with a text, or null. The limits of the rules hold for what is written; filled,
   * it may still be over them.
   */
  public static TopicRules.Problem problem(String text, TopicRules rules) {
    TopicTemplate template = of(text);
    if (template.gaps.stream().anyMatch(String::isBlank)) {
      return invalid("\"" + text + "\" has braces with nothing between them");
    }
    if (template.texts.stream().anyMatch(TopicTemplate::hasBrace)) {
      return invalid("\"" + text + "\" has a brace without its partner");
    }
    return rules.checkPattern(template.fill(gap -> SAMPLE));
  }

  private static boolean hasBrace(String text) {
    return text.indexOf('{') >= 0 || text.indexOf('}') >= 0;
  }

  private static TopicRules.Problem invalid(String message) {
    return new TopicRules.Problem(ErrorCode.INVALID_TOPIC, message);
  }

  /** Puts a text into each gap, by the gap's name. */
  public String fill(UnaryOperator<String> values) {
    StringBuilder filled = new StringBuilder(texts.get(0));
    for (int i = 0; i < gaps.size(); i++) {
      filled.append(values.apply(gaps.get(i))).append(texts.get(i + 1));
    }
    return filled.toString();
  }
}
