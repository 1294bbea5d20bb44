// Rules of textlint for the project's prose.
import { plainText, sentencesOf, wordCount } from "./sentences.mjs";
import { proposalFor, WORDS } from "./words.mjs";

const MAX_WORDS = 30;
const START = /^(?:What|Who|Whatever|Whoever|Whose|Whom|So|How)(?![\w-])/;
const FIRST_START =
  /^(?:What|Who|Whatever|Whoever|Whose|Whom|So|How|Which|Where|Whether|Why)(?![\w-])/;

/** Creates a rule from a function that reports the findings of one sentence. */
function sentenceRule(check) {
  return (context) => {
    const { Syntax, RuleError, report, locator, getSource } = context;
    const visit = (node) => {
      const sentences = sentencesOf(plainText(node, getSource(node)));
      sentences.forEach((sentence, index) => {
        const traits = {
          isHeading: node.type === Syntax.Header,
          isSummary: index === 0 && node.isSummary === true,
        };
        check(sentence.text, traits, (message, offset = 0, length = sentence.text.length) => {
          const start = sentence.offset + offset;
          report(node, new RuleError(message, { padding: locator.range([start, start + length]) }));
        });
      });
    };
    return { [Syntax.Paragraph]: visit, [Syntax.Header]: visit, [Syntax.TableCell]: visit };
  };
}

const sentenceStart = sentenceRule((sentence, { isHeading, isSummary }, report) => {
  const [word] = (isSummary ? FIRST_START : START).exec(sentence) ?? [];
  if (word === undefined || (!isHeading && sentence.endsWith("?"))) return;
  report(`begins with "${word}"; begin with the subject`, 0, word.length);
});

const sentenceLength = sentenceRule((sentence, traits, report) => {
  const words = wordCount(sentence);
  if (words > MAX_WORDS) report(`has ${words} words; at most ${MAX_WORDS} are allowed`, 0, 1);
});

const terms = sentenceRule((sentence, traits, report) => {
  for (const { 0: word, index } of sentence.matchAll(WORDS)) {
    report(`"${word}"; use a standard term: ${proposalFor(word)}`, index, word.length);
  }
});

export const RULES = [
  { ruleId: "sentence-start", rule: sentenceStart },
  { ruleId: "sentence-length", rule: sentenceLength },
  { ruleId: "terms", rule: terms },
];
