import type { Topic } from './topic.ts';
import { leisureTopics } from './topics-leisure.ts';
import { workTopics } from './topics-work.ts';

export const topics: readonly Topic[] = [...leisureTopics, ...workTopics];

export function topicNamed(name: string): Topic {
  const topic = topics.find((candidate) => candidate.name === name);
  if (topic === undefined) throw new Error(`no topic ${name}`);
  return topic;
}
