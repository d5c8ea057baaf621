import { expect, test } from 'vitest';
import { emojiOf, graphemesOf } from '../../../src/shared/text/emoji.ts';

test.each([
  ['👍', '👍\ufe0f'],
  ['⭐', '⭐\ufe0f'],
  ['⚡', '⚡\ufe0f'],
  ['❤\ufe0f', '❤'],
  ['❤\ufe0f\u200d🔥', '❤\u200d🔥'],
  ['🏳\ufe0f\u200d🌈', '🏳\u200d🌈'],
  ['🕵\ufe0f\u200d♂\ufe0f', '🕵\u200d♂\ufe0f', '🕵\u200d♂', '🕵\ufe0f\u200d♂'],
  ['⛹🏽\u200d♀\ufe0f', '⛹\ufe0f🏽\u200d♀'],
  ['1\ufe0f\u20e3', '1\u20e3'],
  ['©\ufe0f', '©'],
  ['🇳🇱'],
])('writes each spelling of %s as Unicode recommends', (recommended, ...others) => {
  for (const spelling of [recommended, ...others]) expect(emojiOf(spelling)).toBe(recommended);
});

test.each(['', 'x', '1', '#\ufe0f', '\ufe0f', '👍👍', '🇦🇦', '👨\u200d🍌', '❤\ufe0e', '👍'.repeat(1_000_000)])(
  'refuses a text that is not one emoji: %.9s',
  (text) => {
    expect(emojiOf(text)).toBeNull();
  },
);

test.each(['👨‍👩‍👧‍👦', '👩🏽‍🚀', '🇳🇱', 'e\u0301', '각', 'नि', '𝒳\u0301', '\r\n'])(
  'keeps %j whole at the end of a window',
  (grapheme) => {
    for (let before = 980; before <= 1_000; before++) {
      const graphemes = [...'x'.repeat(before), grapheme, grapheme, 'x'];
      expect([...graphemesOf(graphemes.join(''))]).toEqual(graphemes);
    }
  },
);
