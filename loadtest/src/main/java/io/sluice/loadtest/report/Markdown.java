package io.sluice.loadtest.report;

import java.util.regex.Pattern;

/** Escaping of text for Markdown. Stateless, for any thread. */
final class Markdown {
  /** Characters to escape. CommonMark ignores underscores within words. */
  private static final Pattern SPECIAL = Pattern.compile("[\\\\|*`\\[\\]#]");

  private static final Pattern LINE_BREAK = Pattern.compile("\\R");

  private Markdown() {}

  static String escape(String text) {
    String line = LINE_BREAK.matcher(text).replaceAll(" ");
    String angles = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    return SPECIAL.matcher(angles).replaceAll("\\\\$0");
  }

  /** Returns a fenced code block. */
  static String code(String text) {
    String fence = "```";
    while (text.contains(fence)) {
      fence += "`";
    }
    return fence + "\n" + text + "\n" + fence + "\n";
  }
}
