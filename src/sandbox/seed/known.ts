import { DEMO_ORGANIZATION } from './demo.ts';
import { topicNamed } from './topics.ts';
import type { Traits } from './users.ts';

export const PRESS = 'northlightpress';

const about = (...names: string[]) => names.map(topicNamed);

/** A user who writes only these texts, so that the dataset has other scripts than Latin. */
function writer(screenName: string, name: string, location: string, lang: string, texts: readonly string[]): Traits {
  const own = { lang, texts };
  return {
    screenName,
    name,
    location,
    description: '🌐',
    topics: about('coffee', 'books'),
    tweets: texts.length,
    appeal: 12,
    own,
  };
}

/** Users with fixed traits. The rest of the dataset is generated around them. */
export const known: readonly Traits[] = [
  {
    screenName: 'ada',
    name: 'Ada Lowell',
    topics: about('code', 'maths', 'coffee', 'trains'),
    description: 'Numbers, looms and strong coffee. I write programs for machines that do not exist yet.',
    location: 'Bologna',
    website: 'https://adalowell.example',
    premium: true,
    openDms: true,
    tweets: 110,
    appeal: 180,
  },
  {
    screenName: 'grace',
    name: 'Grace Hollis',
    topics: about('code', 'sea', 'baking', 'coffee'),
    description: 'Compilers before breakfast, boats after. It is easier to ask forgiveness than a code review.',
    location: 'Galway',
    openDms: true,
    tweets: 95,
    appeal: 160,
  },
  {
    screenName: 'linus',
    name: 'Linus Berg',
    topics: about('sea', 'hiking'),
    description: 'Under water or up a hill. Followers by request.',
    protected: true,
    tweets: 24,
    appeal: 6,
  },
  {
    screenName: DEMO_ORGANIZATION,
    name: 'Tidewater Labs',
    topics: about('sea', 'astronomy', 'code'),
    description: 'Open instruments for oceans and skies.',
    website: 'https://tidewaterlabs.example',
    location: 'Bergen',
    verified: true,
    verificationKind: 'business',
    openDms: true,
    tweets: 40,
    appeal: 320,
  },
  {
    screenName: PRESS,
    name: 'Northlight Press',
    topics: about('books', 'film'),
    description: 'Small books, printed slowly.',
    website: 'https://northlightpress.example',
    location: 'Ghent',
    verified: true,
    verificationKind: 'business',
    tweets: 60,
    appeal: 240,
  },
  {
    screenName: 'citytrams',
    name: 'City Trams',
    topics: about('trains'),
    description: 'Service news from the tram office. We read replies on weekdays.',
    verified: true,
    verificationKind: 'government',
    tweets: 45,
    appeal: 200,
  },
  {
    screenName: 'quickgains',
    name: 'Quick Gains',
    topics: about('markets'),
    description: 'Suspended for repeating itself.',
    state: 'suspended',
    tweets: 18,
    appeal: 8,
  },
  {
    screenName: 'oldlantern',
    name: 'Old Lantern',
    topics: about('film', 'books'),
    description: 'Gone fishing.',
    state: 'deleted',
    tweets: 18,
    appeal: 10,
  },
  writer('hana_sato', '佐藤はな', '京都', 'ja', [
    '朝六時、雨の音とコーヒー。プリンがあればもっといい。☕',
    '川ぞいの道で夕焼けを見た。カメラを忘れた日に限って。 #散歩',
    '各駅停車で海まで。本を一冊、読み終えた。',
  ]),
  writer('chen_wei', '陈伟', '杭州', 'zh', [
    '今天的咖啡比昨天好喝，因为我多等了三分钟。#咖啡',
    '火车晚点两个小时，书倒是看完了。',
    '山顶的风很大，但是值得。⛰️',
  ]),
  writer('layla_haddad', 'ليلى حداد', 'بيروت', 'ar', [
    'قهوة الصباح على الشرفة، والبحر هادئ اليوم. ☕',
    'انتهيت من قراءة الرواية في القطار. #كتب',
    'خبزت رغيفا جديدا، والبيت كله رائحة خبز.',
  ]),
  writer('rohan_mehta', 'रोहन मेहता', 'पुणे', 'hi', [
    'सुबह की चाय और बारिश, और क्या चाहिए। ☔',
    'रेलगाड़ी की खिड़की से पहाड़ दिखे। #यात्रा',
    'आज पहली बार रोटी गोल बनी। 🫓',
  ]),
  writer('pixel_paws', 'Pixel 🐾', '🌍', 'und', ['🐈💤☀️', '👩🏽‍🚀🚀🌕', '🍞🧈😋🎉', '🏳️‍🌈❤️‍🔥✨']),
];
