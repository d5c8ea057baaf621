import type { Topic } from './topic.ts';
import { homeTopics } from './topics-home.ts';
import { mindTopics } from './topics-mind.ts';
import { outsideTopics } from './topics-outside.ts';

export const topics: readonly Topic[] = [...homeTopics, ...outsideTopics, ...mindTopics];

export function topicNamed(name: string): Topic {
  const topic = topics.find((candidate) => candidate.name === name);
  if (topic === undefined) throw new Error(`no topic ${name}`);
  return topic;
}
