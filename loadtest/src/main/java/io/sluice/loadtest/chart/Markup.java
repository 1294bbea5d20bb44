package io.sluice.loadtest.chart;

import java.util.Locale;

/** Writer of HTML and SVG that escapes every text and attribute. Not thread-safe. */
public final class Markup {
  private final StringBuilder out = new StringBuilder();

  /** Opens an element. Attributes are alternating names and values. */
  public Markup open(String tag, Object... attributes) {
    start(tag, attributes);
    out.append('>');
    return this;
  }

  /** Closes an element. */
  public Markup close(String tag) {
    out.append("</").append(tag).append(">\n");
    return this;
  }

  /** Writes an element that contains only text. */
  public Markup leaf(String tag, String text, Object... attributes) {
    return open(tag, attributes).text(text).close(tag);
  }

  /** Writes a void element of HTML or an empty element of SVG. */
  public Markup single(String tag, Object... attributes) {
    start(tag, attributes);
    out.append("/>\n");
    return this;
  }

  /** Writes text. */
  public Markup text(String text) {
    out.append(escape(text));
    return this;
  }

  /** Appends markup without escaping. It must be trusted. */
  public Markup trusted(String markup) {
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

  /** Returns text in which no character starts markup. */
  public static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}
