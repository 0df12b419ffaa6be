// A language that can be read and has none of our letters.
/** Other letters for the Latin ones, so that a text can still be read and has none of ours. */
const LETTERS = Object.fromEntries(
  [...'aàbƀcçdđeèfƒgĝhĥiìjĵkķlľmḿnñoòpþqɋrŕsštťuùvṽwŵxẋyýzž'].reduce(
    (pairs, letter, i, all) => (i % 2 ? [...pairs, [all[i - 1], letter]] : pairs),
    [],
  ),
);
const accent = (text) =>
  text.replace(/[a-z]/gi, (letter) => {
    const other = LETTERS[letter.toLowerCase()];
    return letter === letter.toLowerCase() ? other : other.toUpperCase();
  });

/** A text with other letters, and 40 % longer. Names in braces are kept. */
export const pseudo = (text) =>
  text
    .split(/(\{\w+\})/)
    .map((piece, i) =>
      i % 2 ? piece : accent(piece) + '\u0101'.repeat(Math.ceil((piece.match(/[a-z]/gi) ?? []).length * 0.4)),
    )
    .join('');
