import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  BytesMessage,
  MapMessage,
  MessageEOFException,
  MessageFormatException,
  MessageNotReadableException,
  MessageNotWriteableException,
  StreamMessage,
  TextMessage,
} from "../src/jms.js";

describe("BytesMessage", () => {
  test("shouldReadWhatItHasWrittenInNetworkByteOrder", () => {
    const message = new BytesMessage();
    message.writeBoolean(true);
    message.writeByte(-2);
    message.writeShort(-3);
    message.writeChar("€");
    message.writeInt(-4);
    message.writeLong(2n ** 62n);
    message.writeLong(-5);
    message.writeFloat(0.5);
    message.writeDouble(Math.PI);
    message.writeUTF("a\0é€😀");
    message.writeBytes(Uint8Array.of(1, 2, 3, 4), 1, 2);
    message.reset();
    assert.equal(message.readBoolean(), true);
    assert.equal(message.readByte(), -2);
    assert.equal(message.readShort(), -3);
    assert.equal(message.readChar(), "€");
    assert.equal(message.readInt(), -4);
    assert.equal(message.readLong(), 2n ** 62n);
    assert.equal(message.readLong(), -5n);
    assert.equal(message.readFloat(), 0.5);
    assert.equal(message.readDouble(), Math.PI);
    assert.equal(message.readUTF(), "a\0é€😀");
    const rest = new Uint8Array(4);
    assert.equal(message.readBytes(rest), 2);
    assert.deepEqual(rest, Uint8Array.of(2, 3, 0, 0));
    assert.equal(message.readBytes(rest), -1);
  });

  // The bytes that java.io.DataOutputStream writes.
  for (const [write, expected] of [
    [
      (message: BytesMessage) => {
        message.writeInt(258);
      },
      [0, 0, 1, 2],
    ],
    [
      (message: BytesMessage) => {
        message.writeLong(1);
      },
      [0, 0, 0, 0, 0, 0, 0, 1],
    ],
    [
      (message: BytesMessage) => {
        message.writeFloat(1);
      },
      [0x3f, 0x80, 0, 0],
    ],
    [
      (message: BytesMessage) => {
        message.writeUTF("\0é");
      },
      [0, 4, 0xc0, 0x80, 0xc3, 0xa9],
    ],
    [
      (message: BytesMessage) => {
        message.writeUTF("😀");
      },
      [0, 6, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
    ],
    [
      (message: BytesMessage) => {
        message.writeObject("a");
      },
      [0, 1, 97],
    ],
    [
      (message: BytesMessage) => {
        message.writeObject(1);
      },
      [0, 0, 0, 1],
    ],
    [
      (message: BytesMessage) => {
        message.writeObject(2 ** 31);
      },
      [0, 0, 0, 0, 128, 0, 0, 0],
    ],
    [
      (message: BytesMessage) => {
        message.writeObject(-1n);
      },
      Array<number>(8).fill(255),
    ],
    [
      (message: BytesMessage) => {
        message.writeObject(0.5);
      },
      [0x3f, 0xe0, 0, 0, 0, 0, 0, 0],
    ],
    [
      (message: BytesMessage) => {
        message.writeObject(false);
      },
      [0],
    ],
    [
      (message: BytesMessage) => {
        message.writeObject(Uint8Array.of(9));
      },
      [9],
    ],
  ] as const) {
    test(`shouldWrite ${expected.join(" ")}`, () => {
      const message = new BytesMessage();
      write(message);
      assert.deepEqual(message.getBody(), Uint8Array.from(expected));
    });
  }

  test("shouldReadUnsignedValues", () => {
    const message = received(Uint8Array.of(255, 255, 255));
    assert.equal(message.readUnsignedByte(), 255);
    assert.equal(message.readUnsignedShort(), 65_535);
    assert.equal(message.getBodyLength(), 3);
    assert.throws(() => message.readByte(), MessageEOFException);
  });

  test("shouldGrow", () => {
    const message = new BytesMessage();
    const large = new Uint8Array(1_000).fill(7);
    message.writeInt(1);
    message.writeBytes(large);
    assert.deepEqual(message.getBody(), Uint8Array.of(0, 0, 0, 1, ...large));
  });

  test("shouldRejectReadsAndWritesInTheWrongMode", () => {
    const message = new BytesMessage();
    assert.throws(() => message.readByte(), MessageNotReadableException);
    assert.throws(() => message.getBodyLength(), MessageNotReadableException);
    message.writeByte(1);
    message.reset();
    assert.throws(() => {
      message.writeByte(1);
    }, MessageNotWriteableException);
    message.clearBody();
    message.writeByte(2);
    assert.deepEqual(message.getBody(), Uint8Array.of(2));
  });

  test("shouldRejectInvalidUtf", () => {
    for (const bytes of [
      [0, 1, 0x80],
      [0, 1, 0xc3],
      [0, 2, 0xe0, 0x80],
      [0, 2, 0xc3, 0x41],
    ]) {
      const message = received(Uint8Array.from(bytes));
      assert.throws(() => message.readUTF(), MessageFormatException);
      assert.equal(message.readByte(), 0, "the position has not changed");
    }
    assert.throws(() => received(Uint8Array.of(0, 2, 65)).readUTF(), MessageEOFException);
    const message = new BytesMessage();
    message.writeUTF("a".repeat(65_535));
    assert.throws(() => {
      message.writeUTF("a".repeat(65_536));
    }, MessageFormatException);
    assert.equal(message.getBody().length, 65_537);
  });

  test("shouldRejectValuesOutOfRange", () => {
    const message = new BytesMessage();
    for (const write of [
      () => {
        message.writeByte(128);
      },
      () => {
        message.writeShort(-32_769);
      },
      () => {
        message.writeInt(0.5);
      },
      () => {
        message.writeLong(2n ** 63n);
      },
      () => {
        message.writeLong(2 ** 53);
      },
      () => {
        message.writeChar("ab");
      },
    ]) {
      assert.throws(write, MessageFormatException);
    }
    assert.deepEqual(message.getBody(), new Uint8Array());
  });

  test("shouldReadBytesInPieces", () => {
    const message = received(Uint8Array.of(1, 2, 3));
    const target = new Uint8Array(2);
    assert.equal(message.readBytes(target), 2);
    assert.equal(message.readBytes(target, 2), 1);
    assert.deepEqual(target, Uint8Array.of(3, 2));
    assert.equal(message.readBytes(target), -1);
    assert.equal(message.readBytes(target, 0), 0);
  });

  function received(bytes: Uint8Array): BytesMessage {
    const message = new BytesMessage();
    message.receive(bytes);
    return message;
  }
});

describe("MapMessage", () => {
  test("shouldReadWhatItHasSet", () => {
    const message = new MapMessage();
    message.setBoolean("boolean", true);
    message.setByte("byte", -1);
    message.setShort("short", 2);
    message.setChar("char", "c");
    message.setInt("int", 3);
    message.setLong("long", 4n);
    message.setFloat("float", 0.5);
    message.setDouble("double", 0.25);
    message.setString("string", "s");
    message.setBytes("bytes", Uint8Array.of(1, 2, 3), 1, 1);
    message.setObject("object", null);
    assert.equal(message.getBoolean("boolean"), true);
    assert.equal(message.getByte("byte"), -1);
    assert.equal(message.getShort("short"), 2);
    assert.equal(message.getChar("char"), "c");
    assert.equal(message.getInt("int"), 3);
    assert.equal(message.getLong("long"), 4);
    assert.equal(message.getFloat("float"), 0.5);
    assert.equal(message.getDouble("double"), 0.25);
    assert.equal(message.getString("string"), "s");
    assert.deepEqual(message.getBytes("bytes"), Uint8Array.of(2));
    assert.equal(message.getObject("object"), null);
    assert.equal(message.getObject("int"), 3);
    assert.equal(message.itemExists("object"), true);
    assert.equal(message.itemExists("none"), false);
    assert.equal(message.getMapNames().length, 11);
    assert.deepEqual(message.getBody()["int"], 3);
  });

  test("shouldDecodeReceivedBytes", () => {
    const message = new MapMessage();
    message.receive({ bytes: "AAH/", text: "no base64", number: 7 });
    assert.deepEqual(message.getBytes("bytes"), Uint8Array.of(0, 1, 255));
    assert.equal(message.getString("bytes"), "AAH/");
    assert.equal(message.getByte("number"), 7);
    assert.throws(() => message.getBytes("text"), MessageFormatException);
    assert.throws(() => message.getBytes("number"), MessageFormatException);
  });

  test("shouldRejectAnEmptyName", () => {
    const message = new MapMessage();
    assert.throws(() => {
      message.setInt("", 1);
    }, MessageFormatException);
  });

  test("shouldBeReadOnlyUntilItIsCleared", () => {
    const message = new MapMessage();
    message.protectBody();
    assert.throws(() => {
      message.setInt("a", 1);
    }, MessageNotWriteableException);
    message.clearBody();
    message.setInt("a", 1);
    assert.deepEqual(message.getBody(), { a: 1 });
  });
});

describe("StreamMessage", () => {
  test("shouldReadWhatItHasWritten", () => {
    const message = new StreamMessage();
    message.writeBoolean(true);
    message.writeByte(1);
    message.writeShort(2);
    message.writeChar("c");
    message.writeInt(3);
    message.writeLong(4);
    message.writeFloat(0.5);
    message.writeDouble(0.25);
    message.writeString(null);
    message.writeObject("o");
    message.writeBytes(Uint8Array.of(1, 2, 3), 1);
    message.reset();
    assert.equal(message.readBoolean(), true);
    assert.equal(message.readByte(), 1);
    assert.equal(message.readShort(), 2);
    assert.equal(message.readChar(), "c");
    assert.equal(message.readInt(), 3);
    assert.equal(message.readLong(), 4);
    assert.equal(message.readFloat(), 0.5);
    assert.equal(message.readDouble(), 0.25);
    assert.equal(message.readString(), null);
    assert.equal(message.readObject(), "o");
    assert.equal(message.readBytes(new Uint8Array(4)), 2);
    assert.throws(() => message.readObject(), MessageEOFException);
    message.reset();
    assert.equal(message.readBoolean(), true);
  });

  test("shouldReadBytesInPieces", () => {
    const message = new StreamMessage();
    message.receive(["AQIDBA==", 7, null]);
    const target = new Uint8Array(2);
    assert.equal(message.readBytes(target), 2);
    assert.throws(() => message.readInt(), MessageFormatException);
    assert.equal(message.readBytes(target), 2);
    assert.deepEqual(target, Uint8Array.of(3, 4));
    assert.equal(message.readBytes(target), -1);
    assert.equal(message.readInt(), 7);
    assert.equal(message.readBytes(target), -1, "null");
    assert.throws(() => message.readBytes(target), MessageEOFException);
  });

  test("shouldRejectReadsAndWritesInTheWrongMode", () => {
    const message = new StreamMessage();
    assert.throws(() => message.readObject(), MessageNotReadableException);
    message.writeInt(1);
    message.reset();
    assert.throws(() => {
      message.writeInt(2);
    }, MessageNotWriteableException);
    message.clearBody();
    message.writeInt(3);
    assert.deepEqual(message.values, [3]);
  });
});

describe("TextMessage", () => {
  test("shouldBeReadOnlyUntilItIsCleared", () => {
    const message = new TextMessage("a");
    message.protectBody();
    assert.throws(() => {
      message.setText("b");
    }, MessageNotWriteableException);
    message.clearBody();
    assert.equal(message.getBody(), null);
    message.setText("b");
    assert.equal(message.getText(), "b");
  });

  test("shouldProtectReceivedProperties", () => {
    const message = new TextMessage("a");
    message.properties.receive({ count: 7 }, "g", true);
    assert.equal(message.getIntProperty("count"), 7);
    assert.equal(message.getStringProperty("count"), "7");
    assert.equal(message.getStringProperty("JMSXGroupID"), "g");
    assert.equal(message.getBooleanProperty("JMS_Sluice_Removed"), true);
    assert.deepEqual(message.getPropertyNames(), ["count", "JMSXGroupID", "JMS_Sluice_Removed"]);
    assert.throws(() => {
      message.setIntProperty("count", 8);
    }, MessageNotWriteableException);
    message.clearProperties();
    message.setIntProperty("count", 8);
    assert.equal(message.getLongProperty("count"), 8);
  });
});
