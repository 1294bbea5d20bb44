package io.sluice.gateway.config;

import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Fills environment variables into values: <code>${NAME}</code>, <code>${NAME:-default}</code>, and
 * <code>$${</code> for a literal <code>${</code>. Stateless but for the variables; for any thread.
 */
final class Environment {
  private static final Pattern REFERENCE =
      Pattern.compile("(\\$?)\\$\\{(?:([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\\})?");

  private final UnaryOperator<String> variables;

  Environment(UnaryOperator<String> variables) {
    this.variables = variables;
  }

  /** Either the text, complete, or the reason why it can't be. */
  ValueText.Reading fill(String text) {
    StringBuilder filled = new StringBuilder();
    Matcher reference = REFERENCE.matcher(text);
    int end = 0;
    while (reference.find(end)) {
      filled.append(text, end, reference.start());
      if (!reference.group(1).isEmpty()) {
        filled.append("${");
        end = reference.start() + "$${".length();
        continue;
      }
      if (reference.group(2) == null) {
        return new ValueText.Reading.Wrong("the variable reference is not of the form ${NAME}");
      }
      String value = value(reference.group(2), reference.group(3));
      if (value == null) {
        return new ValueText.Reading.Wrong(
            "the environment variable " + reference.group(2) + " is not set");
      }
      filled.append(value);
      end = reference.end();
    }
    return new ValueText.Reading.Value(filled.append(text, end, text.length()).toString());
  }

  /** As in a shell, the default also stands for a variable that is set but empty. */
  private String value(String name, String fallback) {
    String value = variables.apply(name);
    boolean missing = value == null || value.isEmpty();
    return missing && fallback != null ? fallback.substring(":-".length()) : value;
  }
}
