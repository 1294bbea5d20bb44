package io.sluice.gateway.streams.read;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonElementsTest {
  private static List<String> of(String body) throws IOException {
    return JsonElements.of(body, 10).stream().map(each -> new String(each, UTF_8)).toList();
  }

  @Test
  void shouldKeepTheBytesOfEachElement() throws IOException {
    assertThat(of(" [ 1.50 , \"a\\u00e4é\" ,{ \"b\" : [ 2 ] }, [[]] ,null,-0.0,true ] "))
        .containsExactly(
            "1.50", "\"a\\u00e4é\"", "{ \"b\" : [ 2 ] }", "[[]]", "null", "-0.0", "true");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"a\":[1,2]}", "\"text\"", "42", "false"})
  void shouldReturnAValueThatIsNoArray(String value) throws IOException {
    assertThat(of(value)).containsExactly(value);
  }

  @Test
  void shouldReturnNothingForAnEmptyArray() throws IOException {
    assertThat(of("[]")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "{", "[1", "[1,]", "1 2", "[1] 2", "[1 2]", "{\"a\":1,\"a\":2}", "tru"})
  void shouldRejectOtherBodies(String body) {
    assertThatThrownBy(() -> of(body)).isInstanceOf(IOException.class);
  }

  @Test
  void shouldLimitTheNumberOfElements() {
    assertThatThrownBy(() -> of("[1,2,3,4,5,6,7,8,9,10,11]"))
        .hasMessage("the array has more than 10 elements");
  }
}
