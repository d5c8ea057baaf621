import { execFileSync } from 'node:child_process';
import { rolldown } from 'rolldown';
import { describe, expect, test } from 'vitest';
import { extractEntities } from '../../src/sandbox/dataset/entities.ts';
import { weightedLength } from '../../src/sandbox/dataset/tweet-text.ts';
import { expectQuick } from '../support/processor-time.ts';

describe('the weighted length of a text', () => {
  test.each([
    ['', 0],
    ['hello', 5],
    ['a\nb\tc', 5],
    ['café', 4],
    ['cafe\u0301', 4],
    ['¡Olé!', 5],
    ['Привет', 6],
    ['“quotes” – and…', 16],
    ['日本語', 6],
    ['한국어', 6],
    ['\u200d\u2010', 2],
    ['€', 2],
    ['👋', 2],
    ['👋🏽', 2],
    ['👩‍👩‍👧‍👦', 2],
    ['🇳🇱', 2],
    ['❤️', 2],
    ['1️⃣', 2],
    ['⚡\ufe0f'.repeat(71), 142],
    ['❤', 2],
    ['1\u20e3', 2],
    ['🕵\u200d♂\ufe0f', 2],
    ['🏳\u200d🌈', 2],
    ['1\ufe0f', 3],
    ['🇦🇦', 4],
    ['👨\u200d🍌', 5],
    ['👨‍👩‍👧‍👦'.repeat(140), 280],
    [`a${'👩🏽‍🚀'.repeat(150)}`, 301],
    ['a👋b', 4],
    ['https://a.example', 23],
    [`https://a.example/${'x'.repeat(500)}`, 23],
    ['see https://a.example/x, ok', 31],
    ['(https://a.example/x)', 25],
    ['example.com', 23],
    ['no.url.at.all', 13],
    ['e.g. this', 9],
    ['you@example.com', 15],
    ['http://localhost:3000', 21],
    ['x'.repeat(280), 280],
    // Graphemes are searched in windows. A grapheme belongs to the window in which it begins.
    [`${'é'.repeat(995)}👩‍👩‍👧‍👦b`, 998],
    ['🇳🇱'.repeat(600), 1_200],
    [`a${'\u0301'.repeat(3_000)}`, 3_000],
  ])('%j is %i', (text, length) => {
    expect(weightedLength(text)).toBe(length);
  });
});

describe('entities', () => {
  const nobody = () => undefined;

  test('are found with indices in code points', () => {
    const found = extractEntities('👋🏽 #héllo $TEA.B https://a.example/#no', nobody);
    expect(found.hashtags).toEqual([{ text: 'héllo', indices: [3, 9] }]);
    expect(found.symbols).toEqual([{ text: 'TEA.B', indices: [10, 16] }]);
    expect(found.urls[0]?.indices).toEqual([17, 38]);
  });

  test.each([
    ['#1', 0],
    ['#1st', 1],
    ['a#b', 0],
    ['&#39;', 0],
    ['#a#b', 1],
    ['(#a)', 1],
    ['＃日本', 1],
  ])('%s has %i hashtags', (text, count) => {
    expect(extractEntities(text, nobody).hashtags).toHaveLength(count);
  });

  test('has tags and mentions next to links, but none inside links', () => {
    const found = extractEntities('#日本語https://a.example/#no/$NO をhttps://b.example', nobody);
    expect(found.hashtags).toEqual([{ text: '日本語', indices: [0, 4] }]);
    expect(found.symbols).toEqual([]);
    expect(found.urls.map(({ indices }) => indices)).toEqual([
      [4, 29],
      [31, 48],
    ]);
  });
});

describe('long and unusual texts', () => {
  test.each([
    ['letters', 'a'.repeat(25_000)],
    ['dots', 'a.'.repeat(12_500)],
    ['dashes', 'a-'.repeat(12_500)],
    ['a url that goes on', `https://${'a.'.repeat(12_000)}`],
    ['signs', '日'.repeat(12_500)],
    ['emoji of seven code points', '👨‍👩‍👧‍👦'.repeat(18_000)],
    ['tags after an emoji', `👋${' #a'.repeat(8_000)}`],
    ['brackets', `https://a.example/${')'.repeat(100_000)}`],
    ['stops', `https://a.example/${'.'.repeat(100_000)}x`],
  ])('%s take no time', async (_, text) => {
    await expectQuick(1_500, () => {
      weightedLength(text);
      extractEntities(text, () => undefined);
    });
  });

  // V8 does not optimise regular expressions in a process that has compiled many of them. The flag has the same effect.
  test('signs take no time if regular expressions are compiled without optimisation', async () => {
    const bundle = await rolldown({ input: 'src/sandbox/dataset/tweet-text.ts', platform: 'node' });
    const { output } = await bundle.generate();
    const program = `${output[0].code}
      const { user } = process.cpuUsage();
      weightedLength('日'.repeat(12_500));
      console.log((process.cpuUsage().user - user) / 1_000);`;
    const args = ['--no-regexp-optimization', '--input-type=module', '--eval', program];
    expect(Number(execFileSync(process.execPath, args))).toBeLessThan(1_000);
  });
});
