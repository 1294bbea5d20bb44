package io.sluice.gateway.protocol.parser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.protocol.BadFrame;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.ConsumerSource;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.protocol.PublishHeaders.Mode;
import io.sluice.gateway.protocol.ServerFrames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Fuzz test of the parser of client frames; the first byte selects text or binary. A valid message
 * must be equal after encoding and parsing it again. An invalid one must result in an error reply.
 */
public final class ClientFrameFuzz {
  private static final int LONGEST_WHY = 1000;
  private static final String NAME = "[A-Za-z0-9_-]{1,64}";
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ClientFrameParser PARSER = new ClientFrameParser();
  private static final ServerFrames ANSWERS = new ServerFrames(new UnpooledByteBufAllocator(false));

  private ClientFrameFuzz() {}

  public static void fuzzerTestOneInput(byte[] input) {
    if (input.length == 0) {
      return;
    }
    boolean binary = (input[0] & 1) != 0;
    byte[] bytes = Arrays.copyOfRange(input, 1, input.length);
    if (binary || isUtf8(bytes)) {
      check(parse(binary, bytes));
    }
  }

  private static ClientFrame parse(boolean binary, byte[] bytes) {
    ByteBuf frame = Unpooled.wrappedBuffer(bytes);
    ClientFrame parsed = binary ? PARSER.parseBinary(frame) : PARSER.parseText(frame);
    assertThat(frame.readableBytes()).isEqualTo(bytes.length);
    assertThat(frame.refCnt()).isEqualTo(1);
    return parsed;
  }

  private static void check(ClientFrame frame) {
    assertThat(frame.ref()).isBetween(ClientFrame.NO_REF, BadFrame.MAX_EXACT);
    if (frame instanceof ClientFrame.Malformed malformed) {
      assertThat(malformed.message()).doesNotContain("\n").hasSizeLessThan(LONGEST_WHY);
      checkAnswer(malformed.ref(), malformed.code(), malformed.message(), malformed.destination());
    } else if (frame instanceof ClientFrame.Publish publish) {
      checkPublish(publish);
    } else if (frame instanceof ClientFrame.Transaction transaction) {
      transaction.publishes().forEach(ClientFrameFuzz::checkPublish);
      assertThat(transaction.publishes().size() + transaction.acks().size()).isBetween(1, 100);
    } else if (frame instanceof ClientFrame.Subscribe subscribe) {
      checkAnswer(
          subscribe.ref(), ErrorCode.INVALID_TOPIC, "", Destination.topic(subscribe.topic()));
    } else if (frame instanceof ClientFrame.Unsubscribe unsubscribe) {
      checkAnswer(
          unsubscribe.ref(),
          ErrorCode.INVALID_TOPIC,
          "",
          unsubscribe.topic() == null ? null : Destination.topic(unsubscribe.topic()));
    } else if (frame instanceof ClientFrame.Consume consume) {
      checkSource(consume);
    } else if (frame instanceof ClientFrame.DeleteDurable delete) {
      assertThat(delete.name()).matches(NAME);
      checkAnswer(delete.ref(), ErrorCode.INVALID_TOPIC, "", Destination.topic(delete.topic()));
    }
  }

  private static void checkSource(ClientFrame.Consume consume) {
    ConsumerSource source = consume.source();
    assertThat(source.destination().isQueue()).isEqualTo(source.isQueue());
    if (source.isQueue()) {
      assertThat(source.name()).isNull();
    } else {
      assertThat(source.name()).matches(NAME);
    }
    checkAnswer(consume.ref(), ErrorCode.INVALID_TOPIC, "", source.destination());
  }

  private static void checkAnswer(
      long ref, ErrorCode code, String message, Destination destination) {
    ByteBuf answer = ANSWERS.error(ref, code, message, destination);
    byte[] text = ByteBufUtil.getBytes(answer.skipBytes(headerLength(answer)));
    assertThat(answer.release()).isTrue();
    assertThat(isUtf8(text)).isTrue();
    assertThatCode(() -> JSON.readTree(text)).doesNotThrowAnyException();
  }

  private static int headerLength(ByteBuf webSocketFrame) {
    return switch (webSocketFrame.getUnsignedByte(webSocketFrame.readerIndex() + 1)) {
      case 127 -> 10;
      case 126 -> 4;
      default -> 2;
    };
  }

  private static void checkPublish(ClientFrame.Publish publish) {
    checkAnswer(publish.ref(), ErrorCode.INVALID_TOPIC, "", publish.destination());
    assertThat(publish.kind() == PayloadKind.BYTES || isUtf8(publish.payload())).isTrue();
    assertThat(publish.properties().values())
        .allMatch(value -> !(value instanceof Double number) || Double.isFinite(number));
    ClientFrame again = parse(false, written(publish));
    assertThat(again).usingRecursiveComparison().isEqualTo(publish);
  }

  private static byte[] written(ClientFrame.Publish publish) {
    ObjectNode frame =
        JSON.createObjectNode().put("type", "publish").put(kind(publish), name(publish));
    if (publish.ref() != ClientFrame.NO_REF) {
      frame.put("ref", publish.ref());
    }
    if (publish.kind() == PayloadKind.TEXT) {
      frame.put("payload", new String(publish.payload(), UTF_8));
    } else if (publish.kind() == PayloadKind.JSON) {
      frame.putRawValue("payload", new RawValue(new String(publish.payload(), UTF_8)));
      frame.put("encoding", "json");
    } else {
      frame.put("payload", publish.payload()).put("encoding", "base64");
    }
    frame.set("properties", JSON.valueToTree(publish.properties()));
    frame.set("types", JSON.valueToTree(types(publish.properties())));
    write(publish.headers(), frame);
    try {
      return JSON.writeValueAsBytes(frame);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String kind(ClientFrame.Publish publish) {
    return publish.destination().isQueue() ? "queue" : "topic";
  }

  private static String name(ClientFrame.Publish publish) {
    return publish.destination().name();
  }

  private static Map<String, String> types(Map<String, Object> properties) {
    Map<String, String> types = new HashMap<>();
    properties.forEach(
        (name, value) -> {
          if (value instanceof Number) {
            String type = value.getClass().getSimpleName().toLowerCase(Locale.ROOT);
            types.put(name, type.equals("integer") ? "int" : type);
          }
        });
    return types;
  }

  private static void write(PublishHeaders headers, ObjectNode frame) {
    frame.put("priority", headers.priority());
    if (headers.ttlMs() != PublishHeaders.NONE) {
      frame.put("ttl", headers.ttlMs());
    }
    if (headers.delayMs() != PublishHeaders.NONE) {
      frame.put("delay", headers.delayMs());
    }
    if (headers.mode() != Mode.OF_NODE) {
      frame.put("persistent", headers.mode() == Mode.PERSISTENT);
    }
    put(frame, "messageType", headers.messageType());
    put(frame, "correlationId", headers.correlationId());
    put(frame, "group", headers.group());
    put(frame, "id", headers.id());
    if (headers.replyTo() != null) {
      String kind = headers.replyTo().isQueue() ? "queue" : "topic";
      frame.putObject("replyTo").put(kind, headers.replyTo().name());
    }
  }

  private static void put(ObjectNode frame, String name, String text) {
    if (text != null) {
      frame.put(name, text);
    }
  }

  private static boolean isUtf8(byte[] bytes) {
    try {
      UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException malformed) {
      return false;
    }
  }
}
