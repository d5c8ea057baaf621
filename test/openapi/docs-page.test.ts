import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { contract } from './contract.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

function statusFor(path: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(service.origin + path, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.once('error', reject);
    asked.end();
  });
}

describe('/openapi.json', () => {
  test('is the checked-in description, and needs no key', async () => {
    const response = await fetch(`${service.origin}/openapi.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual(contract);
  });

  test('answers to any name: it holds no credentials', async () => {
    expect(await statusFor('/openapi.json', 'postern.example')).toBe(200);
    const text = JSON.stringify(contract);
    expect(text).not.toContain(service.demo.apiKey);
    for (const { authToken } of service.demo.accounts) expect(text).not.toContain(authToken);
  });
});

describe('/docs', () => {
  test('is made of files of this origin alone', async () => {
    const response = await fetch(`${service.origin}/docs`);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/https?:|unsafe-eval/);
    const page = await response.text();
    const files = [...page.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, file]) => file ?? '');
    expect(files).toContain('/docs/viewer.js');
    for (const file of files) {
      expect((await fetch(service.origin + file)).status, file).toBe(200);
    }
  });

  test('shows demo credentials, so it answers to loopback names only', async () => {
    expect(await statusFor('/docs', 'localhost')).toBe(200);
    expect(await statusFor('/docs', 'postern.example')).toBe(403);
  });

  test.each(['/docs', '/docs/viewer.js', '/openapi.json'])('%s is only read', async (path) => {
    const response = await fetch(service.origin + path, { method: 'POST' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });
});
