package io.sluice.gateway.protocol.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.parser.ClientFrameParser;
import io.sluice.gateway.protocol.publish.StructuredBody;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules of {@link JsonReader} apply to all JSON that the node reads. */
final class JsonReaderTest {
  /** Returns the names of an object's members. */
  private interface Reader {
    Iterable<String> names(String json) throws IOException;
  }

  private static Stream<Reader> readers() {
    return Stream.of(
        JsonReaderTest::tokens,
        json -> new JsonObject(json).fieldNames(),
        json -> new JsonObject(Buffer.buffer(json)).fieldNames(),
        json -> Buffer.buffer(json).toJsonObject().fieldNames(),
        json -> ((JsonObject) Json.decodeValue(json)).fieldNames(),
        json -> new JsonArray("[" + json + "]").getJsonObject(0).fieldNames(),
        JsonReaderTest::body);
  }

  private static Iterable<String> tokens(String json) throws IOException {
    List<String> names = new ArrayList<>();
    try (JsonParser parser = JsonReader.parser(json.getBytes(StandardCharsets.UTF_8))) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.FIELD_NAME) {
          names.add(parser.currentName());
        }
      }
    }
    return names;
  }

  /** Reads an object as the payload of a publish. */
  private static Iterable<String> body(String json) throws IOException {
    String frame = "{'type':'publish','topic':'a','encoding':'json','payload':%s}";
    ClientFrame parsed = parse(frame.replace('\'', '"').formatted(json));
    if (parsed instanceof ClientFrame.Publish publish) {
      return StructuredBody.of(publish.payload()).map().keySet();
    }
    throw new IOException(((ClientFrame.Malformed) parsed).message());
  }

  private static ClientFrame parse(String frame) {
    return new ClientFrameParser().parseText(Unpooled.copiedBuffer(frame, StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @MethodSource("readers")
  void shouldNotInternNames(Reader reader) throws IOException {
    String known = new StringBuilder("interned").append(System.nanoTime()).toString().intern();
    for (String name : reader.names("{\"" + known + "\":1}")) {
      assertThat(name).isEqualTo(known).isNotSameAs(known);
    }
  }

  @ParameterizedTest
  @MethodSource("readers")
  void shouldBoundDocuments(Reader reader) {
    assertThatCode(() -> reader.names("{\"a\":1}")).doesNotThrowAnyException();
    List<String> wrong =
        List.of(
            "{\"a\":" + "[".repeat(40) + "]".repeat(40) + "}",
            "{\"" + "a".repeat(JsonReader.MAX_NAME + 1) + "\":1}",
            "{\"a\":1,\"a\":2}");
    for (String each : wrong) {
      assertThatThrownBy(() -> reader.names(each), each).isInstanceOf(Exception.class);
    }
  }

  @Test
  void shouldBoundNumbers() {
    String number = "1" + "0".repeat(JsonReader.MAX_NUMBER);
    assertThatThrownBy(() -> new JsonArray("[" + number + "]")).hasMessageContaining("65");
    assertThat(StructuredBody.problem(("[" + number + "]").getBytes(StandardCharsets.UTF_8)))
        .startsWith("\"payload\": Number value length (65)");
  }

  @Test
  void shouldNotCacheNames() throws IOException, ReflectiveOperationException {
    assertThat(JsonReader.JSON.isEnabled(JsonFactory.Feature.INTERN_FIELD_NAMES)).isFalse();
    assertThat(JsonReader.JSON.isEnabled(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)).isFalse();
    for (int document = 0; document < 100; document++) {
      StringBuilder json = new StringBuilder("{\"first\":1");
      for (int name = 0; name < 100; name++) {
        json.append(",\"name").append(document).append('_').append(name).append("\":1");
      }
      assertThat(body(json.append('}').toString())).hasSize(101);
    }
    assertThat(symbols("_byteSymbolCanonicalizer")).isZero();
    assertThat(symbols("_rootCharSymbols")).isZero();
  }

  /** Returns the size of one of the factory's private symbol tables. */
  private static int symbols(String table) throws ReflectiveOperationException {
    Field field = JsonFactory.class.getDeclaredField(table);
    field.setAccessible(true);
    Object symbols = field.get(JsonReader.JSON);
    return (int) symbols.getClass().getMethod("size").invoke(symbols);
  }

  /** A body is checked after the permissions of its client. */
  @Test
  void shouldParseNoBodyWithItsFrame() {
    String frame = "{'type':'publish','topic':'a','encoding':'json','payload':{'b':{'c':1}}}";
    ClientFrame.Publish publish = (ClientFrame.Publish) parse(frame.replace('\'', '"'));
    assertThat(StructuredBody.problem(publish.payload()))
        .startsWith("\"payload\": \"b\" is an obj");
    assertThat(StructuredBody.problem("{\"b\":1}".getBytes(StandardCharsets.UTF_8))).isNull();
    assertThat(StructuredBody.of("{\"b\":1}".getBytes(StandardCharsets.UTF_8)).map())
        .isEqualTo(Map.of("b", 1));
  }
}
