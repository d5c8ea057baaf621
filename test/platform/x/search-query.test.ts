import { describe, expect, test } from 'vitest';
import { translateQuery } from '../../../src/platform/x/search-query.ts';

describe('search queries', () => {
  test.each([
    ['tea "green tea" #tea $TEA @ada', 'tea "green tea" #tea $TEA @ada'],
    ['from:@ada to:grace -from:linus', 'from:ada to:grace -from:linus'],
    ['filter:media -filter:replies filter:native_video', 'has:media -is:reply has:video_link'],
    ['filter:images filter:links filter:quote filter:retweets', 'has:images has:links is:quote is:retweet'],
    ['filter:verified filter:hashtags has:mentions is:reply', 'is:verified has:hashtags has:mentions is:reply'],
    ['min_faves:5 min_retweets:2 min_replies:1', 'min_likes:5 min_reposts:2 min_replies:1'],
    ['lang:en list:12 conversation_id:34', 'lang:en list:12 conversation_id:34'],
    ['url:ada.example url:"a b"', 'url:"ada.example" url:"a b"'],
    ['https://ada.example/x 12:30 note: tea.', 'url:"https://ada.example/x" "12:30" note "tea."'],
    ['tea OR (coffee milk)', 'tea OR (coffee milk)'],
    ['(tea OR coffee) milk', '(tea OR coffee) milk'],
    ['-(tea OR coffee) milk', '(-tea -coffee) milk'],
    ['-(tea milk) cup', '(-tea OR -milk) cup'],
    ['"tea (cup) )', '"tea (cup) )"'],
  ])('translates %s', (q, query) => {
    expect(translateQuery(q).query).toBe(query);
  });

  test.each([
    ['tea since:2026-11-01 until:2026-11-05', '2026-11-01', '2026-11-05'],
    ['tea since:2026-11-01 (since:2026-11-03 cup) until:2026-11-09 until:2026-11-05', '2026-11-03', '2026-11-05'],
    ['tea since_time:1793491200', '2026-11-01', null],
  ])('takes the times out of %s', (q, start, end) => {
    const ms = (day: string | null) => day && Date.parse(day);
    expect(translateQuery(q)).toMatchObject({ startMs: ms(start), endMs: ms(end) });
    expect(translateQuery(q).query).not.toContain(':');
  });

  test.each([
    ['foo:bar', 'unknown search operator: foo'],
    ['filter:foo', 'unknown search operator: filter:foo'],
    ['has:foo', 'unknown search operator: has:foo'],
    ['since:yesterday', 'since: needs a day as YYYY-MM-DD'],
    ['until:2026-02-30', 'until: needs a day as YYYY-MM-DD'],
    ['min_faves:many', 'min_faves: needs a whole number'],
    ['from:a-b', 'from: needs a screen name'],
    ['tea OR since:2026-11-01', 'since: cannot be negated or be part of OR'],
    ['tea -until:2026-11-01', 'until: cannot be negated or be part of OR'],
    ['()', 'holds nothing to search for'],
  ])('refuses %s with 400', (q, message) => {
    expect(() => translateQuery(q)).toThrow(message);
  });

  test.each([
    ['tea lang:en', true],
    ['min_faves:5', true],
    ['-tea lang:en', false],
    ['tea OR has:media', false],
    ['since:2026-11-01', false],
  ])('tell whether %s stands alone: %s', (q, standsAlone) => {
    expect(translateQuery(q).standsAlone).toBe(standsAlone);
  });
});
