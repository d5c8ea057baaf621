/**
 * Characters that people do not see and models read, so that they can carry instructions: default-ignorable ones, format and control
 * characters, private use, noncharacters and lone surrogates. The last two are symbols without ink that have none of these properties.
 */
const hidden = String.raw`(?![\t\n\r])[\p{DI}\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{NChar}\u{1d159}\u{16fe4}]`;

/** Scripts whose letters take joiners: those that join letters, and those that form conjuncts. */
const joining = ['Adlm', 'Arab', 'Bali', 'Beng', 'Deva', 'Gujr', 'Guru', 'Java', 'Khmr', 'Knda', 'Mand', 'Mlym', 'Mong']
  .concat(['Mymr', 'Nkoo', 'Orya', 'Rohg', 'Sinh', 'Syrc', 'Taml', 'Telu', 'Tibt'])
  .map((script) => String.raw`\p{scx=${script}}`);

/** Hidden characters that a script or emoji needs. Each requires the visible character before it, so they form no runs. */
const needed = [
  // The style of an emoji, and keycaps.
  String.raw`(?<=\p{ExtPict})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  // The joiner of two emoji. It may follow a style (❤️‍🔥).
  String.raw`(?<=[\p{ExtPict}\p{EMod}]|\p{ExtPict}\ufe0f)\u200d(?=\p{ExtPict})`,
  // The flags of England, Scotland and Wales.
  String.raw`(?<=\u{1f3f4})\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
  String.raw`(?<=(?=[\p{L}\p{M}\p{Nd}])[${joining.join('')}])[\u200c\u200d]`,
  // The end of a word in scripts without spaces, and the variants of Mongolian letters.
  String.raw`(?<=(?=[\p{L}\p{M}])[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])\u200b`,
  String.raw`(?<=(?=\p{L})\p{scx=Mong})[\u180b-\u180f]`,
];

// The lookahead keeps the time for visible text low.
const hiddenOrNeeded = new RegExp(`(?=${hidden})(?:(${needed.join('|')})|(?:${hidden})+)`, 'gu');

/** Unusual blanks, whose choice and number could encode a text. The Braille blank looks like a space. */
const lineSeparators = /[\u2028\u2029]/g;
const blanks = /(?! )[\p{Zs}\u2800]/gu;

/**
 * Removes hidden characters and replaces unusual blanks by spaces. What stays of the hidden characters directly follows the visible character
 * that takes it, so the result is not changed by a repetition.
 */
export function visibleText(text: string): string {
  return text.replaceAll(hiddenOrNeeded, '$1').replaceAll(lineSeparators, '\n').replaceAll(blanks, ' ');
}
