package io.sluice.gateway.protocol.value;

import com.fasterxml.jackson.core.JsonParser;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.jackson.JacksonCodec;
import io.vertx.core.spi.JsonFactory;
import io.vertx.core.spi.json.JsonCodec;
import java.io.IOException;

/**
 * Codec of Vert.x' {@code JsonObject} and {@code JsonArray} that reads by {@link JsonReader}.
 * Vert.x loads it as a service. Stateless, for any thread.
 */
public final class VertxJson implements JsonFactory {
  private static final JsonCodec CODEC = new Codec();

  @Override
  public JsonCodec codec() {
    return CODEC;
  }

  private static final class Codec extends JacksonCodec {
    @Override
    public <T> T fromString(String json, Class<T> type) {
      try (JsonParser parser = JsonReader.parser(json)) {
        return fromParser(parser, type);
      } catch (IOException e) {
        throw new DecodeException(e.getMessage(), e);
      }
    }

    @Override
    public <T> T fromBuffer(Buffer json, Class<T> type) {
      try (JsonParser parser = JsonReader.parser(json.getBytes())) {
        return fromParser(parser, type);
      } catch (IOException e) {
        throw new DecodeException(e.getMessage(), e);
      }
    }

    @Override
    public Object fromString(String json) {
      return fromString(json, Object.class);
    }

    @Override
    public Object fromBuffer(Buffer json) {
      return fromBuffer(json, Object.class);
    }
  }
}
