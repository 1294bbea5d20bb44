package io.sluice.loadtest.report;

import java.util.regex.Pattern;

/** Text that is no markup in Markdown, whatever it holds. */
final class Markdown {
  /** An underscore within a word is none in common Markdown. */
  private static final Pattern SPECIAL = Pattern.compile("[\\\\|*`\\[\\]#]");

  private static final Pattern LINE_BREAK = Pattern.compile("\\R");

  private Markdown() {}

  static String escape(String text) {
    String line = LINE_BREAK.matcher(text).replaceAll(" ");
    String angles = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    return SPECIAL.matcher(angles).replaceAll("\\\\$0");
  }

  /** A block that is shown as it is. */
  static String code(String text) {
    String fence = "```";
    while (text.contains(fence)) {
      fence += "`";
    }
    return fence + "\n" + text + "\n" + fence + "\n";
  }
}
