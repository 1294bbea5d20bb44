package io.sluice.gateway.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadsTest {
  private static final long TIME = 1_763_700_000_123_456_789L;

  @ParameterizedTest
  @ValueSource(ints = {40, 41, 512, 100_000})
  void shouldGeneratePayloadsOfTheExactSize(int bytes) {
    RandomPayloads filler = new RandomPayloads(bytes);
    for (long sequence : new long[] {1, 10, 999_999_999_999L}) {
      String text = filler.payload(0, sequence, TIME);
      assertThat(text.getBytes(StandardCharsets.UTF_8)).hasSize(bytes);
      assertThat(text).startsWith("TS=1763700000123456789 SEQ=" + sequence + " ");
    }
  }

  @Test
  void shouldReportTheMinimumSize() {
    assertThatThrownBy(() -> new RandomPayloads(39))
        .hasMessage("payload size of 39 bytes is below the minimum of 40");
  }

  @Test
  void shouldMoveThePricesOfAHundredStocks() throws Exception {
    long seed = System.nanoTime();
    System.out.println("market seed " + seed);
    Market market = new Market(seed);
    assertThat(market.stocks()).isEqualTo(100);
    Set<String> symbols = new HashSet<>();
    for (int topic = 0; topic < market.stocks(); topic++) {
      JsonNode stock = stock(market.payload(topic, 1, TIME));
      symbols.add(stock.get("symbol").asText());
      assertThat(stock.get("name").asText()).isNotBlank();
    }
    assertThat(symbols).hasSize(100).allMatch(symbol -> symbol.matches("[A-Z]{3,4}"));
  }

  @Test
  void shouldKeepPricesNearTheOpeningForAnHour() throws Exception {
    long seed = System.nanoTime();
    System.out.println("market seed " + seed);
    Market market = new Market(seed);
    Set<Double> prices = new HashSet<>();
    long volume = 0;
    for (int i = 1; i <= 36_000; i++) {
      String text = market.payload(0, i, TIME);
      if (i % 100 == 0) {
        JsonNode stock = stock(text);
        double price = stock.get("price").asDouble();
        double open = stock.get("open").asDouble();
        prices.add(price);
        assertThat(price).isBetween(open * 0.7, open * 1.4);
        assertThat(stock.get("change").asDouble())
            .isCloseTo(100 * (price / open - 1), org.assertj.core.data.Offset.offset(0.006));
        assertThat(stock.get("volume").asLong()).isGreaterThan(volume);
        volume = stock.get("volume").asLong();
      }
    }
    assertThat(prices).hasSizeGreaterThan(50);
  }

  @Test
  void shouldWriteHundredths() {
    assertThat(hundredths(0)).isEqualTo("0.00");
    assertThat(hundredths(-0.004)).isEqualTo("0.00");
    assertThat(hundredths(-0.05)).isEqualTo("-0.05");
    assertThat(hundredths(1234.567)).isEqualTo("1234.57");
    assertThat(hundredths(9.996)).isEqualTo("10.00");
  }

  private static String hundredths(double number) {
    StringBuilder text = new StringBuilder();
    Stock.appendHundredths(text, number);
    return text.toString();
  }

  private static JsonNode stock(String text) throws Exception {
    JsonNode stock = new ObjectMapper().readTree(text);
    assertThat(stock.get("sequence").asLong()).isPositive();
    assertThat(text).endsWith(",\"time\":1763700000123.456}");
    return stock;
  }
}
