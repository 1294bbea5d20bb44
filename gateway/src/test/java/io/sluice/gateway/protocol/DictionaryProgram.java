package io.sluice.gateway.protocol;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.dictionary.DictionaryTrainer;
import io.sluice.gateway.protocol.dictionary.Dictionary;
import io.sluice.gateway.protocol.dictionary.MessageStream;
import io.sluice.testkit.CompressedFrames;
import java.util.Arrays;

/**
 * Measurement of first messages: bytes and CPU per message of a frame without dictionary, and with
 * trained ones of several sizes. Prints CSV. Encoding is part of the CPU.
 */
public final class DictionaryProgram {
  private static final int TRAINED = 2_000;
  private static final int MESSAGES = 10_000;
  private static final int[] SIZES = {1024, 4096, 16_384, Dictionary.MAX_BYTES};

  private final MessageEncoder encoder = EncodingMeasurement.encoder();

  /** Way to encode a first message. */
  @FunctionalInterface
  private interface Method {
    ByteBuf frame(Message message);
  }

  private DictionaryProgram() {}

  /** Prints one line per data set, encoding and size of the dictionary; 0 is none. */
  public static void main(String[] arguments) {
    System.out.println("data,encoding,dictionary,bytes,cpu-us");
    for (CompressionData data : CompressionData.values()) {
      Message[] messages = data.messages(TRAINED + MESSAGES);
      for (boolean binary : new boolean[] {false, true}) {
        new DictionaryProgram().measure(data, messages, binary);
      }
    }
    System.exit(0);
  }

  private void measure(CompressionData data, Message[] messages, boolean binary) {
    String name = EncodingMeasurement.columns(data, binary);
    Channel none = new Channel(7, "stocks.7", null);
    MessageForm form = MessageForm.framed(binary, false);
    Message[] measured = Arrays.copyOfRange(messages, TRAINED, messages.length);
    print(name + 0, measured, message -> full(message, none, form));
    DictionaryTrainer trainer =
        new DictionaryTrainer(Arrays.stream(messages, 0, TRAINED).map(Message::payload).toList());
    for (int size : SIZES) {
      Dictionary dictionary = new Dictionary(0, trainer.train(size).bytes());
      Channel channel = new Channel(7, "stocks.7", null, false, new MessageStream(7, dictionary));
      check(measured, channel, binary);
      print(
          name + dictionary.bytes().length,
          measured,
          message -> encoder.encodeTrained(message, channel, 1, binary));
    }
  }

  private ByteBuf full(Message message, Channel channel, MessageForm form) {
    ByteBuf content = encoder.encode(message, channel, 1, form.content());
    ByteBuf frame = encoder.encodeFramed(content, form, channel.stream());
    content.release();
    return frame;
  }

  private void check(Message[] messages, Channel channel, boolean binary) {
    CompressedFrames decoder = new CompressedFrames(channel.dictionary().bytes());
    MessageForm plain = MessageForm.of(Encoding.of(binary, false));
    for (Message message : messages) {
      byte[] content =
          EncodingMeasurement.payload(encoder.encodeTrained(message, channel, 1, binary));
      byte[] expected = EncodingMeasurement.payload(encoder.encode(message, channel, 1, plain));
      if (!Arrays.equals(decoder.decode(content).payload(), expected)) {
        throw new AssertionError("a message is changed");
      }
    }
  }

  private static void print(String columns, Message[] messages, Method method) {
    EncodingMeasurement.print(
        columns, MESSAGES, () -> run(messages, method), () -> run(messages, method));
  }

  private static long run(Message[] messages, Method method) {
    long bytes = 0;
    for (Message message : messages) {
      bytes += EncodingMeasurement.length(method.frame(message));
    }
    return bytes;
  }
}
