package io.sluice.loadtest.chart;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Properties;

/** Frame of a page with charts: inline style, scripts and their policy. Stateless. */
public final class ChartPage {
  private static final String LIBRARY = "/META-INF/maven/org.webjars/echarts/pom.properties";
  private static final String SCRIPT = library() + read("charts.js");
  private static final String POLICY =
      "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + sha256(SCRIPT) + "'";

  private ChartPage() {}

  /** Writes the head and the title. */
  public static void begin(Markup page, String title) {
    page.trusted("<!doctype html>\n").open("html", "lang", "en").open("head");
    page.single("meta", "charset", "utf-8");
    page.single("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
    page.single("meta", "http-equiv", "Content-Security-Policy", "content", POLICY);
    page.leaf("title", title).open("style").trusted(read("report.css")).close("style");
    page.close("head");
    page.open("body").leaf("h1", title);
    page.leaf("noscript", "The charts require JavaScript; the tables contain the figures.");
  }

  /** Writes the end and returns the page. */
  public static String end(Markup page) {
    page.open("script").trusted(SCRIPT).close("script").close("body").close("html");
    return page.toString();
  }

  /** Returns the minified ECharts, which begins with its licence notice. */
  private static String library() {
    Properties library = new Properties();
    try (InputStream properties = ChartPage.class.getResourceAsStream(LIBRARY)) {
      library.load(properties);
    } catch (IOException e) {
      throw new UncheckedIOException(LIBRARY + " is missing from the class path", e);
    }
    String version = library.getProperty("version");
    return read("/META-INF/resources/webjars/echarts/" + version + "/echarts.common.min.js");
  }

  private static String read(String name) {
    try (InputStream resource = ChartPage.class.getResourceAsStream(name)) {
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(name + " is missing from the class path", e);
    }
  }

  private static String sha256(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
