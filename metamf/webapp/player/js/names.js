/**
 * Names of rows and columns in the room that there is: cut, and never cut to the same text. Names come from outside:
 * they may be empty, long, written from right to left, or equal to each other.
 */

const ELLIPSIS = "…";
// Control characters, and marks that would turn the direction of what stands beside a name.
// eslint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/g;

/**
 * @param {number} first  position of the first name in the matrix, from 0
 * @returns {string[]} `count` names; the position in the matrix, from 1, where there is no name
 */
export function cleanNames(names, first, count) {
  return Array.from({ length: count }, (_, at) => {
    const name = String(names?.[at] ?? "").replace(INVISIBLE, " ").replace(/\s+/g, " ").trim();
    return name || String(first + at + 1);
  });
}

/** @param {string} text @returns {string} a name inside a sentence: its direction ends with it */
export const isolated = (text) => (/^[\u0020-\u02ff]*$/.test(text) ? text : `\u2068${text}\u2069`);

/** About how wide a text is in a font of size 1: for tests, and where no canvas measures. */
export function guessedWidth(text) {
  const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Extended_Pictographic}/u;
  let width = 0;
  for (const character of text) {
    if (wide.test(character)) width += 1;
    else if (/[\p{Mn}\u200d]/u.test(character)) width += 0;
    else if (/[mwMW@%]/.test(character)) width += 0.83;
    else if (/\p{Lu}/u.test(character)) width += 0.62;
    else if (/[ilj.,:;'’|! ]/.test(character)) width += 0.27;
    else width += 0.51;
  }
  return width;
}

/**
 * Names that fit and differ. A name that fits stays as it is; others lose their end or, where that would make two
 * names equal, what they share; names that are equal get their position, too.
 * @param {number} room  in the units of `measure`
 * @param {number} [first]  position of the first name in the matrix, from 0
 */
export function shortened(names, room, measure = guessedWidth, first = 0) {
  const letters = names.map(graphemes);
  const short = letters.map((parts) => endCut(parts, room, measure));
  const clash = groupsOf(short).filter((group) => group.length > 1);
  for (const group of clash) keepTheDifference(group, letters, short, room, measure);
  return numbered(short, room, measure, first);
}

/** @param {string} text @returns {string[]} what a reader takes for one character each */
function graphemes(text) {
  if (typeof Intl === "undefined" || !("Segmenter" in Intl)) return Array.from(text);
  return Array.from(new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text), (part) => part.segment);
}

/**
 * @param {string} [start]  stands in front
 * @returns {string} as many letters as fit
 */
function endCut(letters, room, measure, start = "") {
  const whole = start + letters.join("");
  if (measure(whole) <= room) return whole;
  let low = 0;
  let high = letters.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(start + letters.slice(0, middle).join("").trimEnd() + ELLIPSIS) <= room) low = middle;
    else high = middle - 1;
  }
  return start + letters.slice(0, low).join("").trimEnd() + ELLIPSIS;
}

/** @param {string[]} texts @returns {number[][]} positions of equal texts */
function groupsOf(texts) {
  /** @type {Map<string, number[]>} */
  const groups = new Map();
  texts.forEach((text, at) => groups.set(text, [...(groups.get(text) ?? []), at]));
  return [...groups.values()];
}

/**
 * Names of one group, which would be cut to the same text: a start, an ellipsis, and the part where they differ.
 * @param {string[]} short  changed in place
 */
function keepTheDifference(group, letters, short, room, measure) {
  const members = group.map((at) => letters[at]);
  const shortest = Math.min(...members.map((parts) => parts.length));
  let same = 0;
  while (same < shortest && members.every((parts) => parts[same] === members[0][same])) same++;
  if (members.every((parts) => parts.length === same)) return; // the whole names are equal
  const head = endCut(members[0].slice(0, same), room * 0.45, measure).replace(/…$/, "").trimEnd();
  const shared = graphemes(head).length;
  const begin = wordStart(members[0], same, shared);
  const open = begin > shared ? head + ELLIPSIS : members[0].slice(0, begin).join("");
  for (const at of group) short[at] = endCut(letters[at].slice(begin), room, measure, open);
  for (const still of groupsOf(group.map((at) => short[at])).filter((part) => part.length > 1 && part.length < group.length)) {
    keepTheDifference(still.map((k) => group[k]), letters, short, room, measure);
  }
}

/**
 * Where the word or number that holds the first difference begins, if that is near.
 * @param {string[]} letters @param {number} at @param {number} least @returns {number}
 */
function wordStart(letters, at, least) {
  let begin = at;
  while (begin > least && at - begin < 4 && /[\p{L}\p{N}]/u.test(letters[begin - 1] ?? "")) begin--;
  const whole = begin === 0 || !/[\p{L}\p{N}]/u.test(letters[begin - 1] ?? "");
  return whole ? begin : at;
}

/** Texts that are still equal get their position in the matrix. */
function numbered(short, room, measure, first) {
  const found = [...short];
  const taken = new Set();
  const repeated = new Set(groupsOf(short).filter((group) => group.length > 1).flat());
  short.forEach((text, at) => repeated.has(at) || taken.add(text));
  for (const at of repeated) {
    const mark = ` ${first + at + 1}`;
    const letters = graphemes(short[at].replace(/…$/, ""));
    let text = endCut(letters, room - measure(mark), measure) + mark;
    if (measure(text) > room || taken.has(text)) text = String(first + at + 1);
    for (let again = 2; taken.has(text); again++) text = `${first + at + 1}/${again}`;
    taken.add(text);
    found[at] = text;
  }
  return found;
}
