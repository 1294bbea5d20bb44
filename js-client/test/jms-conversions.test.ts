import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { convert, BODY_CONVERSIONS, PROPERTY_CONVERSIONS } from "../src/jms/conversions.js";
import { MapMessage, Message, MessageFormatException, StreamMessage } from "../src/jms.js";
import type { BodyValue, JmsType, ValueType } from "../src/jms/typed-value.js";

// Jakarta Messaging 3.1, section 3.5.4. `x`: a value of the row's type can be read as the column's.
const PROPERTIES = `
          boolean  byte  short  int  long  float  double  String
boolean   x        -     -      -    -     -      -       x
byte      -        x     x      x    x     -      -       x
short     -        -     x      x    x     -      -       x
int       -        -     -      x    x     -      -       x
long      -        -     -      -    x     -      -       x
float     -        -     -      -    -     x      x       x
double    -        -     -      -    -     -      x       x
String    x        x     x      x    x     x      x       x
`;

// Jakarta Messaging 3.1, section 3.12.4.
const BODIES = `
          boolean  byte  short  char  int  long  float  double  String  byte[]
boolean   x        -     -      -     -    -     -      -       x       -
byte      -        x     x      -     x    x     -      -       x       -
short     -        -     x      -     x    x     -      -       x       -
char      -        -     -      x     -    -     -      -       x       -
int       -        -     -      -     x    x     -      -       x       -
long      -        -     -      -     -    x     -      -       x       -
float     -        -     -      -     -    -     x      x       x       -
double    -        -     -      -     -    -     -      x       x       -
String    x        x     x      -     x    x     x      x       x       -
byte[]    -        -     -      -     -    -     -      -       -       x
`;

// Values without a type, as the protocol transmits them.
const RECEIVED = `
          boolean  byte  short  char  int  long  float  double  String  byte[]
number    -        x     x      -     x    x     x      x       x       -
text      x        x     x      -     x    x     x      x       x       x
`;

/** Value of each type, which every type of the same family can hold. */
const SAMPLES: Readonly<Record<ValueType, BodyValue>> = {
  boolean: true,
  byte: 7,
  short: 7,
  char: "7",
  int: 7,
  long: 7,
  float: 7,
  double: 7,
  String: "7",
  "byte[]": Uint8Array.of(7),
  number: 7,
  text: "7777",
};

interface Cell {
  readonly from: ValueType;
  readonly to: JmsType;
  readonly isAllowed: boolean;
}

function parse(table: string): readonly Cell[] {
  const [header = [], ...rows] = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  return rows.flatMap(([from, ...cells]) =>
    cells.map((cell, index) => ({
      from: from as ValueType,
      to: header[index] as JmsType,
      isAllowed: cell === "x",
    })),
  );
}

function sampleFor(from: ValueType, to: JmsType): BodyValue {
  // "7777" is valid base64 and fits all numeric types but byte.
  return from === "text" && to === "byte" ? "77" : SAMPLES[from];
}

describe("conversions of JMS", () => {
  for (const { name, table, conversions } of [
    { name: "property", table: PROPERTIES, conversions: PROPERTY_CONVERSIONS },
    { name: "body", table: BODIES, conversions: BODY_CONVERSIONS },
    { name: "received", table: RECEIVED, conversions: BODY_CONVERSIONS },
  ]) {
    for (const { from, to, isAllowed } of parse(table)) {
      test(`should${isAllowed ? "" : "Not"}Convert ${name} ${from} to ${to}`, () => {
        const value = { type: from, value: sampleFor(from, to) };
        const read = (): BodyValue => convert(conversions, "v", value, to);
        if (isAllowed) assert.equal(typeof read(), typeof convertSample(to));
        else assert.throws(read, MessageFormatException);
      });
    }
  }

  const convertSample = (to: JmsType): BodyValue => SAMPLES[to];

  for (const [type, text, expected] of [
    ["boolean", "TRUE", true],
    ["boolean", "yes", false],
    ["byte", "-128", -128],
    ["byte", "128", undefined],
    ["short", "32767", 32_767],
    ["short", "32768", undefined],
    ["int", "-2147483648", -(2 ** 31)],
    ["int", "2147483648", undefined],
    ["int", "1.5", undefined],
    ["int", "", undefined],
    ["int", "0x10", undefined],
    ["long", "9007199254740991", Number.MAX_SAFE_INTEGER],
    ["long", "9007199254740992", undefined],
    ["float", "1.5f", 1.5],
    ["float", "1e39", undefined],
    ["double", "-.5E2", -50],
    ["double", "seven", undefined],
  ] as const) {
    test(`should${expected === undefined ? "Not" : ""}Parse ${type} ${text}`, () => {
      const read = (): BodyValue =>
        convert(PROPERTY_CONVERSIONS, "v", { type: "String", value: text }, type);
      if (expected === undefined) assert.throws(read, MessageFormatException);
      else assert.equal(read(), expected);
    });
  }

  for (const [type, value, text] of [
    ["float", 1, "1.0"],
    ["double", 1.25, "1.25"],
    ["int", 1, "1"],
    ["number", 1, "1"],
    ["boolean", false, "false"],
  ] as const) {
    test(`shouldWrite ${type} ${String(value)} as text`, () => {
      assert.equal(convert(PROPERTY_CONVERSIONS, "v", { type, value }, "String"), text);
    });
  }

  test("shouldRejectAReceivedNumberThatIsOutOfRange", () => {
    const value = { type: "number", value: 300 } as const;
    assert.throws(() => convert(BODY_CONVERSIONS, "v", value, "byte"), {
      name: "MessageFormatException",
      message: "v must be a byte, not 300",
    });
    assert.equal(convert(BODY_CONVERSIONS, "v", value, "short"), 300);
    const fraction = { type: "number", value: 0.5 } as const;
    assert.throws(() => convert(BODY_CONVERSIONS, "v", fraction, "int"), MessageFormatException);
  });

  test("shouldReadNullLikeJava", () => {
    const message = new Message();
    assert.equal(message.getStringProperty("none"), null);
    assert.equal(message.getObjectProperty("none"), null);
    assert.equal(message.getBooleanProperty("none"), false);
    assert.throws(() => message.getIntProperty("none"), MessageFormatException);
    const map = new MapMessage();
    assert.equal(map.getBytes("none"), null);
    assert.throws(() => map.getChar("none"), MessageFormatException);
  });

  for (const [setter, bad] of [
    ["setBooleanProperty", 1],
    ["setByteProperty", 128],
    ["setByteProperty", 1.5],
    ["setShortProperty", -32_769],
    ["setIntProperty", 2 ** 31],
    ["setIntProperty", "7"],
    ["setLongProperty", 2 ** 53],
    ["setLongProperty", 2n ** 60n],
    ["setFloatProperty", 1e39],
    ["setDoubleProperty", NaN],
    ["setStringProperty", 7],
    ["setObjectProperty", {}],
    ["setObjectProperty", Uint8Array.of(1)],
  ] as const) {
    test(`shouldReject ${setter} ${inspect(bad)}`, () => {
      const message = new Message();
      assert.throws(() => {
        message[setter]("p", bad as never);
      }, MessageFormatException);
      assert.equal(message.propertyExists("p"), false);
    });
  }

  for (const name of ["", "a-b", "1a", "JMSPriority", "and", "NULL"]) {
    test(`shouldRejectThePropertyName "${name}"`, () => {
      assert.throws(() => {
        new Message().setStringProperty(name, "x");
      }, MessageFormatException);
    });
  }

  test("shouldInferTypes", () => {
    const message = new Message();
    message.setObjectProperty("small", 7);
    message.setObjectProperty("large", 2 ** 31);
    message.setObjectProperty("big", 7n);
    message.setObjectProperty("fraction", 0.5);
    message.setObjectProperty("flag", true);
    message.setObjectProperty("text", "x");
    message.setStringProperty("absent", null);
    message.setStringProperty("JMSXGroupID", "g");
    const published = {};
    message.properties.addTo(published);
    assert.deepEqual(published, {
      properties: { small: 7, large: 2 ** 31, big: 7, fraction: 0.5, flag: true, text: "x" },
      types: { small: "int", large: "long", big: "long", fraction: "double" },
      group: "g",
    });
  });

  test("shouldKeepThePositionOfAStreamAfterAFailedConversion", () => {
    const stream = new StreamMessage();
    stream.writeString("seven");
    stream.reset();
    assert.throws(() => stream.readInt(), MessageFormatException);
    assert.equal(stream.readString(), "seven");
  });
});
