package io.sluice.loadtest.report;

import io.sluice.loadtest.report.Scale.Tick;
import java.util.List;
import java.util.Locale;

/**
 * One chart: two axes, and what is drawn between them. Series have numbers from 0 that stand for
 * colours and dashes of the style sheet. Not thread-safe.
 */
final class Plot {
  /** A place by its values; one whose y is NaN interrupts a line. */
  record Point(double x, double y) {}

  /** How many series the style sheet tells apart; from there on the lines are thicker. */
  private static final int SERIES = 6;

  private static final double WIDTH = 560;
  private static final double HEIGHT = 220;
  private static final double LEFT = 74;
  private static final double RIGHT = 26;
  private static final double TOP = 10;
  private static final double BOTTOM = 38;
  private static final double LANE = 13;
  private static final double BELOW_LANES = 6;
  private static final int LANE_NAME = 11;

  private final Markup page;
  private final Scale x;
  private final Scale y;
  private final double top;
  private final double bottom;

  private Plot(Markup page, Scale x, Scale y, int lanes) {
    this.page = page;
    this.x = x;
    this.y = y;
    this.top = TOP + (lanes == 0 ? 0 : lanes * LANE + BELOW_LANES);
    this.bottom = top + HEIGHT - TOP - BOTTOM;
  }

  /**
   * Begins a chart.
   *
   * @param series their names; a legend is shown if there is more than one
   * @param lanes names of the rows of marks above the chart
   */
  static Plot begin(
      Markup page, String title, List<String> series, Axis x, Axis y, List<String> lanes) {
    page.open("figure").leaf("figcaption", title);
    if (series.size() > 1) {
      legend(page, series);
    }
    Plot plot = new Plot(page, x.scale(), y.scale(), lanes.size());
    String box = String.format(Locale.ROOT, "0 0 %.0f %.0f", WIDTH, plot.bottom + BOTTOM);
    page.open("svg", "viewBox", box, "role", "img", "aria-label", title);
    plot.axes(x, y);
    plot.lanes(lanes);
    return plot;
  }

  /**
   * An axis.
   *
   * @param label what it measures, with its unit
   */
  record Axis(String label, Scale scale) {}

  private static String style(int series) {
    return "s" + series % SERIES + (series < SERIES ? "" : " again");
  }

  void end() {
    page.close("svg").close("figure");
  }

  void line(int series, List<Point> points) {
    StringBuilder path = new StringBuilder();
    boolean drawing = false;
    for (Point point : points) {
      if (Double.isNaN(point.y())) {
        drawing = false;
        continue;
      }
      // h0 makes a lone point visible.
      String form = drawing ? "L%.1f %.1f" : "M%.1f %.1fh0";
      path.append(String.format(Locale.ROOT, form, atX(point.x()), atY(point.y())));
      drawing = true;
    }
    page.single("path", "class", "line " + style(series), "d", path);
  }

  void dot(int series, Point at, String title) {
    page.open("circle", "class", "dot " + style(series), "cx", atX(at.x()), "cy", atY(at.y()));
    page.leaf("title", title).close("circle");
  }

  /** A bar from one place to another, with its end marks, as intervals are drawn. */
  void bar(int series, Point from, Point to, String title) {
    double x1 = atX(from.x());
    double y1 = atY(from.y());
    double x2 = atX(to.x());
    double y2 = atY(to.y());
    double across = x1 == x2 ? 4 : 0;
    double along = x1 == x2 ? 0 : 4;
    String path =
        String.format(
            Locale.ROOT,
            "M%.1f %.1fL%.1f %.1fM%.1f %.1fl%.1f %.1fM%.1f %.1fl%.1f %.1f",
            x1,
            y1,
            x2,
            y2,
            x1 - across,
            y1 - along,
            2 * across,
            2 * along,
            x2 - across,
            y2 - along,
            2 * across,
            2 * along);
    page.open("path", "class", "bar " + style(series), "d", path);
    page.leaf("title", title).close("path");
  }

  /** A stretch of the x axis that stands apart. */
  void shade(double from, double to, String name) {
    double width = atX(to) - atX(from);
    if (width <= 0) {
      return;
    }
    page.open(
        "rect", "class", "shade", "x", atX(from), "y", top, "width", width, "height", bottom - top);
    page.leaf("title", name).close("rect");
    if (width > name.length() * 6.5) {
      page.leaf("text", name, "class", "shaded", "x", atX(from) + 4, "y", top + 12);
    }
  }

  /** A mark in a lane. */
  void mark(int lane, double at, String title) {
    double middle = laneY(lane);
    String path =
        String.format(Locale.ROOT, "M%.1f %.1fv%.1f", atX(at), middle - LANE / 3, LANE / 1.5);
    page.open("path", "class", "mark", "d", path).leaf("title", title).close("path");
  }

  private double atX(double value) {
    return LEFT + x.share(value) * (WIDTH - LEFT - RIGHT);
  }

  private double atY(double value) {
    return bottom - y.share(value) * (bottom - top);
  }

  private double laneY(int lane) {
    return TOP + (lane + 0.5) * LANE - 4;
  }

  private void axes(Axis x, Axis y) {
    double right = WIDTH - RIGHT;
    for (Tick tick : y.scale().ticks()) {
      double at = atY(tick.value());
      page.single("path", "class", "grid", "d", path("M%.1f %.1fH%.1f", LEFT, at, right));
      page.leaf("text", tick.label(), "class", "end", "x", LEFT - 6, "y", at + 4);
    }
    for (Tick tick : x.scale().ticks()) {
      double at = atX(tick.value());
      page.single("path", "class", "grid", "d", path("M%.1f %.1fV%.1f", at, top, bottom));
      page.leaf("text", tick.label(), "class", "middle", "x", at, "y", bottom + 15);
    }
    double middle = (top + bottom) / 2;
    page.leaf("text", x.label(), "class", "middle name", "x", (LEFT + right) / 2, "y", bottom + 32);
    page.leaf(
        "text",
        y.label(),
        "class",
        "middle name",
        "transform",
        path("translate(12 %.1f) rotate(-90)", middle));
  }

  private static String path(String form, Object... numbers) {
    return String.format(Locale.ROOT, form, numbers);
  }

  private void lanes(List<String> lanes) {
    for (int i = 0; i < lanes.size(); i++) {
      String name = lanes.get(i);
      String fitting = name.length() > LANE_NAME ? name.substring(0, LANE_NAME - 1) + "…" : name;
      page.leaf("text", fitting, "class", "end lane", "x", LEFT - 6, "y", laneY(i) + 4);
    }
  }

  private static void legend(Markup page, List<String> series) {
    page.open("ul", "class", "legend");
    for (int i = 0; i < series.size(); i++) {
      page.open("li").open("svg", "viewBox", "0 0 26 8", "aria-hidden", "true");
      page.single("path", "class", "line " + style(i), "d", "M1 4H25").close("svg");
      page.text(series.get(i)).close("li");
    }
    page.close("ul");
  }
}
