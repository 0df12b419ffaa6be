// The sentences of a text, and the words of each. A tired reader takes in a short sentence at once.

/** The longest sentence, in words. What is code is not read as words. */
export const LONGEST = 30;

/** Words are what has a letter or a digit between spaces. */
export const wordsOf = (text) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** The sentences of some Markdown that are too long. A cell of a table, and an item of a list, ends a sentence. */
export const longInMarkdown = (text) =>
  tooLong(
    text
      .replace(/<!--[^]*?-->|```[^]*?```/g, '')
      .split('\n')
      .flatMap((line) => (line.startsWith('|') ? line.split('|') : [line])),
  );

/** The sentences of the comments of a program that are too long. A blank line or a tag ends a sentence, and a gap in a table. */
export function longInComments(code) {
  const paragraphs = [[]];
  for (const line of code.split('\n')) {
    const said = /^\s*(?:\/\/[/!]?|\/\*\*?|\*)(?:\s+|$)(.*?)(?:\*\/)?$/.exec(line)?.[1];
    if (said === undefined || said === '' || /^[@|-]/.test(said)) paragraphs.push([]);
    if (said !== undefined) paragraphs.at(-1).push(said);
  }
  return tooLong(paragraphs.flatMap((lines) => lines.join('\n').split(/ {2,}|(?<=^ .*)\n(?= )/)));
}

const tooLong = (texts) =>
  texts
    .flatMap((text) => text.replace(/`[^`]*`/g, '').split(/(?<=[.:;!?])\s+/))
    .filter((sentence) => wordsOf(sentence) > LONGEST);
