package io.sluice.gatling.check;

import static io.gatling.javaapi.core.CoreDsl.bodyBytes;
import static io.gatling.javaapi.core.CoreDsl.bodyLength;
import static io.gatling.javaapi.core.CoreDsl.bodyString;
import static io.gatling.javaapi.core.CoreDsl.css;
import static io.gatling.javaapi.core.CoreDsl.jmesPath;
import static io.gatling.javaapi.core.CoreDsl.jsonPath;
import static io.gatling.javaapi.core.CoreDsl.regex;
import static io.gatling.javaapi.core.CoreDsl.substring;
import static io.sluice.gatling.SluiceDsl.age;
import static io.sluice.gatling.SluiceDsl.count;
import static io.sluice.gatling.SluiceDsl.message;
import static io.sluice.gatling.SluiceDsl.property;
import static io.sluice.gatling.SluiceDsl.seq;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gatling.core.Predef$;
import io.gatling.core.config.GatlingConfiguration$;
import io.gatling.core.session.Session;
import io.gatling.javaapi.core.CheckBuilder;
import io.netty.channel.DefaultEventLoop;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CheckSetTest {
  private static final Session SESSION =
      session().set("limit", Duration.ofMillis(40)).set("price", "101.25").set("millis", 40);

  private static final SluiceMessage QUOTE =
      Frames.message(
          Frames.parse(
              """
              {"type":"message","topic":"stocks.7","time":5,"id":"00000000000000ff",
               "properties":{"region":"EU"},"payload":"{\\"price\\":\\"101.25\\"}"}
              """));

  @BeforeAll
  static void configureGatling() {
    Predef$.MODULE$._configuration_$eq(GatlingConfiguration$.MODULE$.load());
  }

  @Test
  void shouldApplyGatlingsChecksToAMessage() {
    assertThat(
            failure(
                jsonPath("$.price").isEL("#{price}"),
                jmesPath("price").is("101.25"),
                substring("price").exists(),
                regex("[0-9]+").exists(),
                bodyString().is("{\"price\":\"101.25\"}"),
                bodyLength().is(18),
                bodyBytes().exists(),
                property("region").in("EU", "US"),
                message().transform(SluiceMessage::topic).is("stocks.7")))
        .isNull();
  }

  @Test
  void shouldNameTheFirstFailedCheck() {
    assertThat(failure(jsonPath("$.size").exists(), substring("absent").exists()))
        .startsWith("jsonPath($.size)");
    assertThat(failure(property("currency").exists())).startsWith("property(currency)");
  }

  @Test
  void shouldRefuseJsonPathOfText() {
    SluiceMessage text = Frames.message(Frames.parse("{\"type\":\"message\",\"payload\":\"x\"}"));
    CheckSet checks = CheckSet.NONE.with(List.of(jsonPath("$").exists()));

    assertThat(checks.check(text, SESSION).failure()).contains("payload is not JSON");
  }

  @Test
  void shouldSaveValues() {
    CheckSet checks = CheckSet.NONE.with(List.of(jsonPath("$.price").saveAs("saved")));

    Session saved = checks.check(QUOTE, SESSION).save(SESSION);

    assertThat(new io.gatling.javaapi.core.Session(saved).getString("saved")).isEqualTo("101.25");
  }

  @Test
  void shouldRefuseChecksOfHttp() {
    assertThatThrownBy(() -> CheckSet.NONE.with(List.of(css("a").exists())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("check of type Css does not apply to messages");
  }

  @Test
  void shouldCompareAges() {
    StreamWindow window = new StreamWindow();
    List.of(10L, 20L, 30L, 40L).forEach(window::onAge);

    assertThat(failure(window, age().max().lt(Duration.ofMillis(41)))).isNull();
    assertThat(failure(window, age().max().lt(Duration.ofMillis(40))))
        .isEqualTo("age max.find.lt(40 ms), found 40 ms");
    assertThat(failure(window, age().max().lte(Duration.ofMillis(40)))).isNull();
    assertThat(failure(window, age().min().gt(Duration.ofMillis(10)))).contains("found 10 ms");
    assertThat(failure(window, age().min().gte(Duration.ofMillis(10)))).isNull();
    assertThat(failure(window, age().p50().is(Duration.ofMillis(20)))).isNull();
    assertThat(failure(window, age().mean().is(Duration.ofMillis(25)))).isNull();
    assertThat(failure(window, age().percentile(75.5).lt(session -> Duration.ofMillis(40))))
        .isEqualTo("age p75.5.find.lt(40 ms), found 40 ms");
    assertThat(failure(window, age().p99().lteEL("#{limit}"))).isNull();
    assertThat(failure(window, age().p99().ltEL("#{millis}"))).contains("lt(40 ms)");
    assertThat(failure(window, age().p99().ltEL("#{price}")))
        .contains("#{price} must be a Duration or a number of milliseconds, not 101.25");
  }

  @Test
  void shouldFailAgesWithoutMessages() {
    assertThat(failure(new StreamWindow(), age().p95().lt(Duration.ofDays(1))))
        .isEqualTo("age p95.find.lt(86400000 ms), found nothing");
  }

  @Test
  void shouldRefuseInvalidPercentiles() {
    assertThatThrownBy(() -> age().percentile(0))
        .hasMessage("percentile must be above 0 and at most 100, not 0.0");
    assertThatThrownBy(() -> age().percentile(100.1)).hasMessageContaining("not 100.1");
  }

  @Test
  void shouldCountMessagesAndGaps() {
    StreamWindow window = new StreamWindow();
    window.onMessage();

    assertThat(failure(window, seq().noGaps(), seq().gaps().is(0), count().gte(1))).isNull();

    window.onGap("gap on stocks.7: overload");
    window.onGap("gap on stocks.7: too-large");

    assertThat(failure(window, seq().noGaps()))
        .contains("2 gaps, first: gap on stocks.7: overload");
    assertThat(failure(window, seq().gaps().lt(2))).contains("2");
    assertThat(failure(window, count().gt(1))).contains("1");
  }

  private static String failure(CheckBuilder... checks) {
    return CheckSet.NONE.with(List.of(checks)).check(QUOTE, SESSION).failure();
  }

  private static String failure(StreamWindow window, CheckBuilder... checks) {
    return CheckSet.NONE.with(List.of(checks)).check(window, SESSION).failure();
  }

  static Session session() {
    return io.gatling.core.session.Session$.MODULE$.apply("test", 1, new DefaultEventLoop());
  }
}
