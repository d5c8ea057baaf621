import { english } from './language-english.ts';
import { french, frenchTopics } from './language-french.ts';
import { german, germanTopics } from './language-german.ts';
import { japanese, japaneseTopics } from './language-japanese.ts';
import { portuguese, portugueseTopics } from './language-portuguese.ts';
import { spanish, spanishTopics } from './language-spanish.ts';
import type { Language, Topic } from './topic.ts';
import { topics as englishTopics } from './topics.ts';

/** The names and topics of the users who write in one language. */
export interface Community {
  readonly language: Language;
  readonly topics: readonly Topic[];
  readonly firstNames: readonly string[];
  readonly lastNames: readonly string[];
  readonly towns: readonly string[];
}

export function languageOf(topic: Topic): Language {
  return topic.language ?? english;
}

const words = (text: string) => text.split(' ');

/** Names with a Japanese script have the form `kana=romaji`. The screen name is made from the romaji part. */
const others: readonly Community[] = [
  {
    language: spanish,
    topics: spanishTopics,
    firstNames: words(
      'Lucía Martín Valeria Álvaro Carmen Diego Jimena Pablo Rocío Iván Marisol Andrés Paloma Gonzalo Nuria Esteban Lola Joaquín Ximena Rubén',
    ),
    lastNames: words(
      'García Romero Navarro Ibáñez Cruz Molina Vega Ortiz Rivas Salinas Fuentes Cabrera Lozano Quintana Prieto Soto',
    ),
    towns: ['Bilbao', 'Sevilla', 'Montevideo', 'Oaxaca', 'Valparaíso', 'Cerca del mar'],
  },
  {
    language: german,
    topics: germanTopics,
    firstNames: words(
      'Jana Lukas Friederike Moritz Annika Jürgen Sabine Tobias Heike Matthias Klara Florian Ulrike Benedikt Katrin Jannik Silke Veit',
    ),
    lastNames: words(
      'Schröder Köhler Lehmann Winkler Sommer Vogt Böhm Kaiser Jäger Roth Seidel Huber Möller Krüger Zimmer Engel',
    ),
    towns: ['Graz', 'Leipzig', 'Basel', 'Lübeck', 'Irgendwo im Zug'],
  },
  {
    language: french,
    topics: frenchTopics,
    firstNames: words(
      'Camille Hugo Élodie Bastien Manon Théo Amélie Gaspard Solène Rémi Aïcha Octave Margaux Loïc Inès Baptiste Mathilde Cyril',
    ),
    lastNames: words(
      'Moreau Lefèvre Girard Mercier Blanchard Garnier Faure Chevalier Perrin Renaud Diop Marchand Caron Roussel Lemaire Vidal',
    ),
    towns: ['Nantes', 'Lausanne', 'Montréal', 'Dakar', 'Au bord du canal'],
  },
  {
    language: portuguese,
    topics: portugueseTopics,
    firstNames: words(
      'Beatriz Thiago Mariana Caio Larissa Gonçalo Leonor Vítor Juliana Rui Camila Otávio Inês Duarte Fernanda Davi Luísa Afonso',
    ),
    lastNames: words(
      'Almeida Carvalho Barbosa Teixeira Pinto Cardoso Moura Ramos Nogueira Freitas Lopes Vieira Coelho Machado Rocha Tavares',
    ),
    towns: ['Recife', 'Coimbra', 'Salvador', 'Porto', 'Perto da praia'],
  },
  {
    language: japanese,
    topics: japaneseTopics,
    firstNames: words(
      'はな=hana 葵=aoi 蓮=ren 結衣=yui 陽太=yota 美咲=misaki 悠=yu さくら=sakura 大輔=daisuke 凛=rin 健太=kenta 千夏=chinatsu 直樹=naoki ゆき=yuki 翔=sho 紬=tsumugi',
    ),
    lastNames: words(
      '佐藤=sato 鈴木=suzuki 高橋=takahashi 田中=tanaka 渡辺=watanabe 伊藤=ito 山本=yamamoto 中村=nakamura 小林=kobayashi 加藤=kato 吉田=yoshida 山田=yamada 松本=matsumoto 井上=inoue 森=mori 池田=ikeda',
    ),
    towns: ['京都', '松本', '函館', '尾道', '海の近く'],
  },
];

/** Returns all communities. English is the first and is the default of users without a community. */
export function communities(firstNames: readonly string[], lastNames: readonly string[], towns: readonly string[]) {
  const first: Community = { language: english, topics: englishTopics, firstNames, lastNames, towns };
  return [first, ...others];
}
