import type { FrameError } from "./frame-error.js";
import { invalidSelector, tokensOf, type Token } from "./selector-tokens.js";
import {
  calculate,
  combine,
  compare,
  fieldOf,
  isLike,
  isOneOf,
  not,
  numberOf,
  withoutEscaped,
  type Evaluate,
} from "./selector-values.js";

/** Expression, and its type if that is known before the evaluation. */
interface Expression {
  readonly evaluate: Evaluate;
  readonly type: "string" | "number" | "boolean" | undefined;
}

const END: Token = { kind: "end", text: "the end", at: 0 };
const COMPARISONS = ["=", "<>", "<", "<=", ">", ">="];

/** Recursive-descent parser of the selectors of Jakarta Messaging. */
class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  parse(): Evaluate {
    const whole = this.#or();
    this.#check(whole, "boolean");
    if (this.#next.kind !== "end") throw this.#unexpected();
    return whole.evaluate;
  }

  #or(): Expression {
    let left = this.#and();
    while (this.#accept("OR")) left = this.#combine(true, left, this.#and());
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.#accept("AND")) left = this.#combine(false, left, this.#not());
    return left;
  }

  #combine(decisive: boolean, left: Expression, right: Expression): Expression {
    this.#check(left, "boolean");
    this.#check(right, "boolean");
    return condition(combine(decisive, left.evaluate, right.evaluate));
  }

  // NOT before a comparison without parentheses: Artemis applies it to the first operand.
  #not(): Expression {
    if (!this.#accept("NOT")) return this.#comparison();
    const operand = this.#next.text === "NOT" ? this.#not() : this.#primary();
    this.#check(operand, "boolean");
    const { text, kind } = this.#next;
    if (kind === "symbol" && !["AND", "OR", ")"].includes(text)) {
      throw invalidSelector(
        `the test node supports NOT before ${text} in "where" only with parentheses`,
      );
    }
    return condition(not(operand.evaluate));
  }

  #comparison(): Expression {
    let left = this.#sum();
    for (;;) {
      const operator = this.#acceptOneOf(COMPARISONS);
      if (operator !== undefined) left = this.#compare(operator, left);
      else if (this.#accept("IS")) left = this.#isNull(left);
      else if (this.#accept("NOT")) left = condition(not(this.#predicate(left).evaluate));
      else if (["BETWEEN", "IN", "LIKE"].includes(this.#next.text)) left = this.#predicate(left);
      else return left;
    }
  }

  #compare(operator: string, left: Expression): Expression {
    const right = this.#sum();
    if (operator !== "=" && operator !== "<>") {
      this.#check(left, "number");
      this.#check(right, "number");
    } else if (left.type && right.type && left.type !== right.type) {
      throw invalidSelector(`a ${left.type} is compared with a ${right.type} in "where"`);
    }
    return condition(compare(operator, left.evaluate, right.evaluate));
  }

  #isNull({ evaluate }: Expression): Expression {
    const isNegated = this.#accept("NOT");
    this.#expect("NULL");
    return condition((message) => (evaluate(message) === undefined) !== isNegated);
  }

  #predicate(left: Expression): Expression {
    if (this.#accept("BETWEEN")) return this.#between(left);
    this.#check(left, "string");
    if (this.#accept("IN")) return condition(isOneOf(left.evaluate, this.#list()));
    this.#expect("LIKE");
    return this.#like(left);
  }

  #between(left: Expression): Expression {
    const low = this.#sum();
    this.#expect("AND");
    const high = this.#sum();
    for (const each of [left, low, high]) this.#check(each, "number");
    const { evaluate } = left;
    const isAbove = compare(">=", evaluate, low.evaluate);
    return condition(combine(false, isAbove, compare("<=", evaluate, high.evaluate)));
  }

  #list(): readonly string[] {
    const list: string[] = [];
    this.#expect("(");
    do list.push(this.#string());
    while (this.#accept(","));
    this.#expect(")");
    return list;
  }

  #like({ evaluate }: Expression): Expression {
    const pattern = this.#string();
    const escape = this.#accept("ESCAPE") ? this.#string() : undefined;
    if (escape !== undefined && !/^.$/su.test(escape)) {
      throw invalidSelector(`ESCAPE must be one character in "where"`);
    }
    // As at the node: escaped ones do not count, and wildcards in a row count as one.
    const wild = withoutEscaped(pattern, escape).replaceAll(/_*%[%_]*/gu, "%");
    if (wild.replace(/%$/u, "").split("%").length > 2) {
      const message =
        'a pattern of LIKE in "where" must not contain more than one % before its end';
      throw invalidSelector(message);
    }
    return condition(isLike(evaluate, pattern, escape));
  }

  #sum(): Expression {
    return this.#arithmetic(["+", "-"], () => this.#arithmetic(["*", "/"], () => this.#unary()));
  }

  #arithmetic(operators: readonly string[], operand: () => Expression): Expression {
    let left = operand();
    for (;;) {
      const operator = this.#acceptOneOf(operators);
      if (operator === undefined) return left;
      const right = operand();
      this.#check(left, "number");
      this.#check(right, "number");
      left = { evaluate: calculate(operator, left.evaluate, right.evaluate), type: "number" };
    }
  }

  #unary(): Expression {
    const sign = this.#acceptOneOf(["+", "-"]);
    if (sign === undefined) return this.#primary();
    const operand = this.#unary();
    this.#check(operand, "number");
    const evaluate = calculate(sign, () => 0n, operand.evaluate);
    return { evaluate, type: "number" };
  }

  #primary(): Expression {
    const { kind, text } = this.#next;
    if (this.#accept("(")) {
      const inner = this.#or();
      this.#expect(")");
      return inner;
    }
    if (this.#accept("TRUE")) return condition(() => true);
    if (this.#accept("FALSE")) return condition(() => false);
    if (text === "XPATH" || text === "XQUERY") {
      throw invalidSelector(`"where" must not contain ${text}`);
    }
    if (kind === "string") return { evaluate: constant(this.#string()), type: "string" };
    if (kind === "number") return this.#number();
    if (kind === "name") return this.#field();
    throw this.#unexpected();
  }

  #number(): Expression {
    const { text } = this.#next;
    if (/^0\d*[89]/.test(text) && !/[.e]/i.test(text)) throw this.#unexpected();
    this.#at++;
    return { evaluate: constant(numberOf(text)), type: "number" };
  }

  #field(): Expression {
    const { text } = this.#next;
    this.#at++;
    if (this.#next.text === "(" && this.#next.kind === "symbol") {
      throw invalidSelector(`"where" must not contain functions such as ${text}`);
    }
    const evaluate = fieldOf(text);
    if (evaluate) return { evaluate, type: undefined };
    throw invalidSelector(`the test node does not support ${text} in "where"`);
  }

  #string(): string {
    const { kind, text } = this.#next;
    if (kind !== "string") throw this.#unexpected();
    this.#at++;
    return text;
  }

  get #next(): Token {
    return this.#tokens[this.#at] ?? END;
  }

  #accept(symbol: string): boolean {
    const { kind, text } = this.#next;
    const isNext = kind === "symbol" && text === symbol;
    if (isNext) this.#at++;
    return isNext;
  }

  #acceptOneOf(symbols: readonly string[]): string | undefined {
    return symbols.find((symbol) => this.#accept(symbol));
  }

  #expect(symbol: string): void {
    if (!this.#accept(symbol)) throw this.#unexpected();
  }

  #check({ type }: Expression, expected: Expression["type"]): void {
    if (type === undefined || type === expected) return;
    throw invalidSelector(`a ${String(expected)} is expected instead of a ${type} in "where"`);
  }

  #unexpected(): FrameError {
    const { text, at } = this.#next;
    return invalidSelector(`unexpected ${text} after character ${String(at)} of "where"`);
  }
}

function condition(evaluate: Evaluate): Expression {
  return { evaluate, type: "boolean" };
}

function constant(value: string | number | bigint): Evaluate {
  return () => value;
}

/** Parses a selector; throws `invalid-selector`. */
export function parseExpression(text: string): Evaluate {
  return new Parser(text).parse();
}
