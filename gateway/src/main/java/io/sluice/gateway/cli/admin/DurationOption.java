package io.sluice.gateway.cli.admin;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Value of the option {@code --for}. Stateless. */
final class DurationOption {
  private static final Pattern DURATION = Pattern.compile("([1-9]\\d{0,6})([smhd])");

  private DurationOption() {}

  /**
   * Returns the seconds of a duration such as 30s, 10m or 2h.
   *
   * @throws ParameterException if the text is no duration
   */
  static int seconds(CommandSpec spec, String text) {
    Matcher parts = DURATION.matcher(text);
    if (!parts.matches()) {
      throw new ParameterException(
          spec.commandLine(),
          "--for " + text + " is not a duration; expected a duration such as 30s or 10m");
    }
    long unit =
        switch (parts.group(2)) {
          case "s" -> 1;
          case "m" -> 60;
          case "h" -> 3_600;
          default -> 86_400;
        };
    return (int) Math.min(Integer.MAX_VALUE, Long.parseLong(parts.group(1)) * unit);
  }
}
