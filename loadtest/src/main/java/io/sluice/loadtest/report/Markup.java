package io.sluice.loadtest.report;

import java.util.Locale;

/** Writes HTML and SVG; every text and every attribute is escaped. Not thread-safe. */
final class Markup {
  private final StringBuilder out = new StringBuilder();

  /** Opens an element; attributes are names and values in turn. */
  Markup open(String tag, Object... attributes) {
    start(tag, attributes);
    out.append('>');
    return this;
  }

  Markup close(String tag) {
    out.append("</").append(tag).append(">\n");
    return this;
  }

  /** An element that holds only text. */
  Markup leaf(String tag, String text, Object... attributes) {
    return open(tag, attributes).text(text).close(tag);
  }

  /** An element of HTML that has no end, or one of SVG that holds nothing. */
  Markup single(String tag, Object... attributes) {
    start(tag, attributes);
    out.append("/>\n");
    return this;
  }

  Markup text(String text) {
    out.append(escape(text));
    return this;
  }

  /** What is markup already, and was written for this page. */
  Markup trusted(String markup) {
    out.append(markup);
    return this;
  }

  @Override
  public String toString() {
    return out.toString();
  }

  private void start(String tag, Object... attributes) {
    out.append('<').append(tag);
    for (int i = 0; i < attributes.length; i += 2) {
      out.append(' ').append(attributes[i]).append("=\"");
      out.append(escape(value(attributes[i + 1]))).append('"');
    }
  }

  private static String value(Object value) {
    return value instanceof Double number
        ? String.format(Locale.ROOT, "%.1f", number)
        : String.valueOf(value);
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}
