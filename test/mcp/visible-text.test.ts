import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { visibleText } from '../../src/mcp/visible-text.ts';
import { expectQuick } from '../support/processor-time.ts';
import { repetitions } from '../support/repetitions.ts';

const isHidden = /^[\p{DI}\p{Bidi_C}\p{Cf}\p{Co}\p{Cs}\p{NChar}]$/u;
const isNamed = /^(?:[\p{L}\p{M}]|\p{Emoji})$/u;
const codePoints = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
const hidden = codePoints.filter((character) => isHidden.test(character));
const letters = codePoints.filter((character) => isNamed.test(character) && !isHidden.test(character));
const emoji = codePoints.filter((character) => /^\p{ExtPict}$/u.test(character));

const oneOf = (all: string[]) => fc.nat(all.length - 1).map((at) => all[at]);

/** Text in which hidden characters are as frequent as letters. The small lists make the usual combinations likely. */
const text = fc
  .array(
    fc.oneof(
      oneOf(hidden),
      oneOf(letters),
      oneOf(emoji),
      fc.constantFrom(...'\u200b\u200c\u200d\u200e\ufe0e\ufe0f\u3164\u{e0067}\u{e007f}'),
      fc.constantFrom(...'1#\u20e3\u{1f3f4}☕\u{1f3fd}می\u064bक्ไក\u1820 \u00a0\u2800\u2028\n'),
    ),
    { maxLength: 40 },
  )
  .map((characters) => characters.join(''));

describe('visible text', () => {
  test('has no two hidden characters in a row outside of emoji', () => {
    fc.assert(
      fc.property(text, (given) => {
        const flag =
          /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/gu;
        const rest = visibleText(given)
          .replaceAll(flag, '')
          .replaceAll(/(?<=\p{ExtPict})\ufe0f\u200d(?=\p{ExtPict})/gu, '');
        expect(rest).not.toMatch(/[\p{DI}\p{Bidi_C}\p{Cf}\p{Co}\p{Cs}\p{NChar}]{2}/u);
        expect(rest).not.toMatch(/(?! )[\p{Z}\u2800]/u);
      }),
      { numRuns: repetitions(200, 2_000) },
    );
  });

  test('is not changed by a repetition, and keeps all visible characters', () => {
    const spaced = (given: string) => given.replaceAll(/[\u2028\u2029]/g, '\n').replaceAll(/[\p{Zs}\u2800]/gu, ' ');
    const seen = (given: string) => [...spaced(given)].filter((character) => !isHidden.test(character)).join('');
    fc.assert(
      fc.property(text, (given) => {
        const once = visibleText(given);
        expect(visibleText(once)).toBe(once);
        expect(seen(once)).toBe(seen(given));
      }),
      { numRuns: repetitions(200, 2_000) },
    );
  });

  test('has none of them between Latin letters', () => {
    expect(hidden.filter((one) => visibleText(`a${one}${one}b${one}`) !== 'ab')).toEqual([]);
  });

  test('keeps every emoji with its styles, joiners, skin tones and tags', () => {
    const isEmoji = /^\p{RGI_Emoji}$/v;
    const joined = ['👩‍❤️‍💋‍👨', '❤️‍🔥', '🏳️‍🌈', '🏳️‍⚧️', '👁️‍🗨️', '🧑🏽‍🤝‍🧑🏿', '👨‍👩‍👧‍👦', '🏴‍☠️', '🕵🏽‍♀️', '🐻‍❄️'];
    const flags = ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '🏴󠁧󠁢󠁷󠁬󠁳󠁿', '🇩🇪'];
    const single = emoji
      .flatMap((base) => [base, `${base}\ufe0f`, `${base}\u{1f3fd}`])
      .filter((one) => isEmoji.test(one));
    const keycaps = [...'0123456789#*'].map((key) => `${key}\ufe0f\u20e3`);
    for (const one of [...joined, ...flags, ...keycaps]) expect(one, 'is an emoji').toMatch(isEmoji);
    for (const one of [...joined, ...flags, ...keycaps, ...single, '☕\ufe0e']) {
      expect(visibleText(`x${one}y ${one}${one}`)).toBe(`x${one}y ${one}${one}`);
    }
  });

  test.each([
    ['Persian', 'می‌خواهم کتاب‌ها را ۲۰‌ساله بخوانم، نه؟'],
    ['Arabic', 'قال هـ‍ في السَّنة ١٤٤٥'],
    ['Hindi', 'क्‍ष और क्‌ष, श्रीमान्‌जी'],
    ['Bengali', 'র‍্যাব'],
    ['Malayalam', 'അവന്‍ വന്നു'],
    ['Sinhala', 'ශ්‍රී ලංකාව'],
    ['Thai', 'ฉันรัก\u200bภาษาไทย น้ำ'],
    ['Khmer', 'ភាសា\u200bខ្មែរ'],
    ['Mongolian', 'ᠬᠠᠮᠢᠭ᠎ᠠ ᠠ᠋'],
    ['Japanese, Korean and Chinese', '日本語のテキスト、한국어 텍스트，中文'],
    ['lines', 'a\tb\r\nc'],
  ])('keeps %s', (_language, given) => {
    expect(visibleText(given)).toBe(given);
  });

  test.each([
    ['a style and a joiner, again and again', 'I ☕\ufe0f\u200d\ufe0e\u200d\ufe0f drink', 'I ☕\ufe0f drink'],
    ['joiners without letters', 'a \u200c\u200d\u200c b', 'a  b'],
    ['joiners with a style between them', 'न\u200c\ufe0e\u200d\ufe0eन', 'न\u200cन'],
    ['other tags after a flag', '🏴\u{e0067}\u{e0062}\u{e0068}\u{e0069}\u{e007f}', '🏴'],
    ['a variant of a Chinese character', '葛\u{e0100}城', '葛城'],
    ['blanks of different widths', 'a\u2009\u2003\u00a0\u3000\u2800b\u2028c', 'a     b\nc'],
    ['a joiner that was behind a hidden character', 'م\u200e\u200cی', 'می'],
    ['symbols without ink', 'a\u{1d159}\u{16fe4}b', 'ab'],
  ])('removes or replaces %s', (_name, given, expected) => {
    expect(visibleText(given)).toBe(expected);
  });

  test.each([
    ['joined emoji', '👩\ufe0f\u200d'],
    ['tags', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}'],
    ['joiners', 'م\u200c'],
    ['blanks', '\u200b\u2028\u2003'],
    ['marks', '\u200e\u064b'],
  ])('takes time that is linear in the length: %s', async (_name, part) => {
    await expectQuick(500, () => visibleText(part.repeat(200_000)));
  });
});
