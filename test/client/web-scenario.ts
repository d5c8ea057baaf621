import { onTestFinished } from 'vitest';
import { examplePng } from '../../src/media/media-input.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import type { TestService } from '../support/service.ts';

/** Causes the events that client-scenario.mjs waits for. Returns the input of its `run` as JSON, and what `run` returns. */
export function webScenario({ demo }: TestService) {
  const { baseUrl, apiKey, accounts, sandboxUrl } = demo;
  const sandbox = new SandboxControl(sandboxUrl);
  const mentions = setInterval(() => void sandbox.makeEvents({ type: 'mention', userName: 'ada' }), 500);
  onTestFinished(() => clearInterval(mentions));
  const text = 'Hello from web APIs';
  const result = {
    userName: 'ada',
    creditsCharged: '0.001',
    size: Buffer.from(examplePng, 'base64').length,
    text,
    followers: 5,
    isTyped: true,
    events: ['tweet.mention', 'tweet.mention'],
  };
  const options = { baseUrl, apiKey, authToken: accounts[0].authToken };
  return { input: JSON.stringify({ options, png: examplePng, text }), result };
}
