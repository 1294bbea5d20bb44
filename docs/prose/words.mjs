// Words that the project replaces by the field's terms: pattern and proposal.
const LIST = [
  ["hears?|heard", "receive, be notified"],
  ["tells?|told", "notify, send, report"],
  ["wants?|wanted", "require, request, need"],
  ["knows?|knew", "contain, store, support"],
  ["farewells?", "close frame, close"],
  ["nobody|somebody|anybody|everybody", "the subject: no client, an operator, each session"],
  ["whoever|whomever|whatever", "the subject: a client that, any value"],
  ["goes by|go by", "use, follow, be identified by"],
  ["of (?:its|their) own", "dedicated, separate"],
  ["in (?:its|their) place", "instead"],
  ["comes? of", "be caused by, result from"],
  ["beside", "next to, in addition to"],
  ["leave-taking|takes? leave", "close"],
  ["says? so", "report, state"],
  ["on (?:its|their) way", "in flight, in transit"],
  ["lets? in", "accept, admit"],
  ["meanwhile", "during this time, concurrently"],
  ["reckon(?:s|ed)?", "compute, count"],
  ["thrice", "three times"],
  ["sits?|lives", "be, be stored"],
  ["dies|died", "terminate, end"],
  ["asks?|asked", "request, send"],
  ["judges?|judged", "evaluate, check"],
  ["has a turn", "run, be scheduled"],
  ["lends?", "share, pass"],
  ["goes? on", "continue, resume"],
  ["stands?(?! for\\b)|stood", "be, be active, be connected"],
  ["come and go", "connect and disconnect"],
  ["errands?", "request"],
  ["surroundings", "environment, page lifecycle"],
  ["keepsakes?", "durable marker"],
  ["seats?", "handle"],
];

/** Matches any word of the list. */
export const WORDS = new RegExp(`\\b(?:${LIST.map(([pattern]) => pattern).join("|")})\\b`, "gi");

const PROPOSALS = LIST.map(([pattern, proposal]) => [new RegExp(`^(?:${pattern})`, "i"), proposal]);

/** @returns the terms to use instead of a word that the list contains */
export function proposalFor(word) {
  return PROPOSALS.find(([pattern]) => pattern.test(word))[1];
}
