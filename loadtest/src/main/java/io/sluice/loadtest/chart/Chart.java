package io.sluice.loadtest.chart;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.loadtest.result.MeasuredRun.Event;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * Chart of a report page: a figure whose options ECharts draws. Not thread-safe.
 *
 * <p>Series have numbers from 0, which select colours of the style sheet and dash patterns.
 */
public final class Chart {
  /** Data point; y = NaN interrupts a line. */
  public record Point(double x, double y) {}

  private static final ObjectMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();
  private static final MathContext PRECISION = new MathContext(6);

  /** Dash patterns of the series; further series repeat them with thicker lines. */
  private static final List<Object> DASHES =
      List.of(
          "solid",
          List.of(6, 2.5),
          List.of(2, 2.5),
          List.of(9, 2.5, 2, 2.5),
          List.of(12, 3),
          List.of(4, 2, 1, 2));

  private static final int HEIGHT = 240;
  private static final int LEFT = 74;
  private static final int TOP = 14;
  private static final int LEGEND = 26;
  private static final double LEGEND_WIDTH = 500;
  private static final double LEGEND_KEY = 47;
  private static final double CHARACTER = 6.2;
  private static final int LANE = 13;

  private final String title;
  private final Axis x;
  private final Axis y;
  private final List<String> names = new ArrayList<>();
  private final List<String> lanes = new ArrayList<>();
  private final List<Map<String, Object>> series = new ArrayList<>();
  private final List<Object> shades = new ArrayList<>();

  /** Creates a chart without series. */
  public Chart(String title, Axis x, Axis y) {
    this.title = title;
    this.x = x;
    this.y = y;
  }

  /**
   * Axis of a chart.
   *
   * @param options ECharts options; {@code labels} are texts by value, which the page's script
   *     converts to a formatter
   * @param lower limit; smaller values are drawn at it
   * @param upper limit; larger values are drawn at it
   */
  public record Axis(Map<String, Object> options, double lower, double upper) {
    private static final double[] FACTORS = {1, 2, 5, 10};
    private static final double MIN_RATIO = 5;
    private static final int MIN_NINES = 4;

    /** Returns an axis from 0 to a round number. */
    public static Axis linear(String label) {
      return new Axis(Map.of("type", "value", "name", label, "min", 0), 0, Double.MAX_VALUE);
    }

    /** Returns an axis from 0 to exactly {@code end}. */
    public static Axis until(String label, double end) {
      double most = Math.max(end, 1);
      return new Axis(Map.of("type", "value", "name", label, "min", 0, "max", most), 0, most);
    }

    /** Returns a logarithmic axis that contains all values above 0. */
    public static Axis log(String label, DoubleStream values) {
      double[] positive = values.filter(value -> value > 0).sorted().toArray();
      double least = positive.length == 0 ? 1 : positive[0];
      double most = positive.length == 0 ? 1 : positive[positive.length - 1];
      double min = -round(-least);
      double max = round(Math.max(most, min * MIN_RATIO));
      Map<String, Object> minor = Map.of("show", true);
      return new Axis(
          Map.of(
              "type",
              "log",
              "name",
              label,
              "min",
              min,
              "max",
              max,
              "minorTick",
              minor,
              "minorSplitLine",
              minor),
          min,
          max);
    }

    /** Returns the next number of 1, 2 and 5 times a power of ten that is not smaller. */
    private static double round(double value) {
      double size = Math.abs(value);
      double power = Math.pow(10, Math.floor(Math.log10(size)));
      DoubleStream rounded = Arrays.stream(FACTORS).map(factor -> number(factor * power));
      return value < 0
          ? -rounded.filter(r -> r <= size * (1 + 1e-9)).max().orElse(power)
          : rounded.filter(r -> r >= size * (1 - 1e-9)).min().orElse(10 * power);
    }

    /**
     * Returns an axis for the percentiles of a number of messages. Its values are the reciprocals
     * of the tails: each further nine takes the same width.
     */
    public static Axis tail(String label, long messages) {
      int nines = (int) Math.max(MIN_NINES, Math.ceil(Math.log10(messages)));
      Map<String, String> labels = new HashMap<>();
      for (int i = 0; i <= nines; i++) {
        double percentile = 100 - Math.pow(10, 2 - i);
        labels.put(String.valueOf((long) Math.pow(10, i)), decimal(percentile, Math.max(0, i - 2)));
      }
      double most = Math.pow(10, nines);
      return new Axis(
          Map.of("type", "log", "name", label, "min", 1, "max", most, "labels", labels), 1, most);
    }

    /** Returns an axis of named rows from top to bottom; row i has its middle at the value i. */
    public static Axis rows(List<String> names) {
      Map<String, String> labels = new HashMap<>();
      IntStream.range(0, names.size()).forEach(i -> labels.put(String.valueOf(i), names.get(i)));
      Map<String, Object> options = new HashMap<>(Map.of("type", "value", "name", ""));
      options.putAll(Map.of("min", -1, "max", names.size(), "interval", 1));
      options.putAll(Map.of("inverse", true, "labels", labels));
      return new Axis(options, -1, names.size());
    }

    private Object at(double value) {
      return Double.isFinite(value) ? number(Math.min(Math.max(value, lower), upper)) : null;
    }

    private static double number(double value) {
      return new BigDecimal(value).round(PRECISION).doubleValue();
    }
  }

  /** Adds a line; the legend lists the lines if there is more than one. */
  public void line(int number, String name, List<Point> points) {
    names.add(name);
    List<Object> data = new ArrayList<>();
    for (int i = 0; i < points.size(); i++) {
      List<Object> value = value(points.get(i));
      boolean alone = isGap(points, i - 1) && isGap(points, i + 1);
      data.add(alone ? Map.of("value", value, "symbol", "circle") : value);
    }
    add(number, "line", name, data).putAll(Map.of("symbol", "none", "symbolSize", 3));
  }

  private static boolean isGap(List<Point> points, int index) {
    return index < 0 || index >= points.size() || Double.isNaN(points.get(index).y());
  }

  /** Adds dots, each with the text of its tooltip. */
  public void dots(int number, Map<Point, String> texts) {
    List<Object> data = new ArrayList<>();
    texts.forEach((at, text) -> data.add(Map.of("value", value(at), "name", text)));
    add(number, "scatter", "", data).putAll(Map.of("symbolSize", 5, "z", 3));
  }

  /** Adds an interval: a bar with end marks, and a dot at the estimate. */
  public void interval(int number, Point low, Point estimate, Point high, String text) {
    List<Integer> across = low.x() == high.x() ? List.of(9, 2) : List.of(2, 9);
    List<Object> data =
        List.of(
            Map.of("value", value(low), "name", text),
            Map.of("value", value(estimate), "name", text, "symbol", "circle", "symbolSize", 6),
            Map.of("value", value(high), "name", text));
    Map<String, Object> line = add(number, "line", "", data);
    line.putAll(Map.of("symbol", "rect", "symbolSize", across, "z", 4));
    line.put("lineStyle", Map.of("color", color(number), "width", 2));
  }

  /** Shades a range of the x axis. */
  public void shade(double from, double to, String name) {
    if (to > from) {
      shades.add(List.of(Map.of("name", name, "xAxis", from), Map.of("xAxis", to)));
    }
  }

  /** Adds rows of marks above the chart, one for each kind of event. */
  public void events(List<Event> events) {
    events.stream().map(Event::kind).distinct().sorted().forEach(lanes::add);
    List<Object> data = new ArrayList<>();
    for (Event event : events) {
      String at = decimal(event.second(), 1) + " s, " + event.kind() + ": ";
      List<Object> value = List.of(x.at(event.second()), lanes.indexOf(event.kind()));
      data.add(Map.of("value", value, "name", at + event.text()));
    }
    if (!events.isEmpty()) {
      Map<String, Object> marks = add(3, "scatter", "", data);
      marks.putAll(Map.of("xAxisIndex", 1, "yAxisIndex", 1));
      marks.putAll(Map.of("symbol", "rect", "symbolSize", List.of(2, 9)));
    }
  }

  /** Writes the figure: caption, container and options. */
  public void write(Markup page) {
    page.open("figure").leaf("figcaption", title);
    String style = "height:" + (top() + HEIGHT) + "px";
    page.open("div", "class", "chart", "role", "img", "aria-label", title, "style", style);
    page.close("div").open("script", "type", "application/json");
    try {
      // Only this character could terminate the script element.
      page.trusted(MAPPER.writeValueAsString(options()).replace("<", "\\u003c"));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("options of the chart " + title + " are not JSON", e);
    }
    page.close("script").close("figure");
  }

  private static String decimal(double value, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  private int top() {
    return TOP + legendRows() * LEGEND + lanes.size() * LANE;
  }

  private int legendRows() {
    if (names.size() < 2) {
      return 0;
    }
    int rows = 1;
    double used = 0;
    for (String name : names) {
      double width = LEGEND_KEY + CHARACTER * name.length();
      if (used > 0 && used + width > LEGEND_WIDTH) {
        rows++;
        used = 0;
      }
      used += width;
    }
    return rows;
  }

  private Map<String, Object> options() {
    if (!shades.isEmpty()) {
      series.get(0).put("markArea", Map.of("data", shades));
    }
    int top = top();
    List<Object> grids = new ArrayList<>(List.of(grid(top, HEIGHT - 44)));
    List<Object> xs = new ArrayList<>(List.of(axis(x, 26)));
    List<Object> ys = new ArrayList<>(List.of(axis(y, 50)));
    if (!lanes.isEmpty()) {
      int height = lanes.size() * LANE;
      grids.add(grid(top - height - 6, height));
      Map<String, Object> time = new HashMap<>(x.options());
      time.putAll(Map.of("show", false, "gridIndex", 1));
      xs.add(time);
      ys.add(Map.of("type", "category", "inverse", true, "gridIndex", 1, "data", lanes));
    }
    Map<String, Object> legend = Map.of("show", names.size() > 1, "data", names);
    return Map.of("grid", grids, "legend", legend, "series", series, "xAxis", xs, "yAxis", ys);
  }

  private static Map<String, Object> grid(int top, int height) {
    return Map.of("left", LEFT, "right", 26, "top", top, "height", height);
  }

  private static Map<String, Object> axis(Axis axis, int gap) {
    Map<String, Object> options = new HashMap<>(axis.options());
    options.putAll(Map.of("nameLocation", "middle", "nameGap", gap));
    return options;
  }

  private Map<String, Object> add(int number, String type, String name, List<Object> data) {
    boolean again = number >= DASHES.size();
    Map<String, Object> added = new HashMap<>(Map.of("type", type, "name", name, "data", data));
    added.put("itemStyle", Map.of("color", color(number)));
    if (type.equals("line")) {
      Object dashes = DASHES.get(number % DASHES.size());
      added.put(
          "lineStyle", Map.of("color", color(number), "type", dashes, "width", again ? 3.2 : 1.6));
    }
    series.add(added);
    return added;
  }

  private static String color(int number) {
    return "var(--s" + number % DASHES.size() + ")";
  }

  private List<Object> value(Point point) {
    return Arrays.asList(x.at(point.x()), y.at(point.y()));
  }
}
